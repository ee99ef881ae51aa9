/** What a run can measure; times in milliseconds, memory in bytes, everything else counted. */
export type Figure =
  | "wall"
  | "processor"
  | "memory"
  | "requests"
  | "atOnce"
  | "notModified"
  | "quota"
  | "perSecond"
  | "bytes"
  | "packages";

/** What one run measured. */
export type Sample = { readonly [F in Figure]?: number };
