import { z } from "zod";

const Sample = z.partialRecord(
  z.enum([
    "wall",
    "processor",
    "memory",
    "requests",
    "atOnce",
    "notModified",
    "quota",
    "perSecond",
    "bytes",
    "packages",
  ]),
  z.number(),
);
const Gap = z.strictObject({ what: z.string(), why: z.string() });
const Verdict = z.strictObject({
  what: z.string(),
  value: z.number(),
  unit: z.enum(["times", "milliseconds", "bytes", "count"]),
  target: z.strictObject({ is: z.enum(["at most", "at least"]), value: z.number() }).optional(),
});

const Machine = z.strictObject({
  processor: z.string(),
  cores: z.int(),
  memory: z.int(),
  system: z.string(),
  node: z.string(),
  at: z.iso.date(),
});
export type Machine = z.infer<typeof Machine>;

const CaseResult = z.strictObject({
  name: z.string(),
  title: z.string(),
  how: z.string(),
  verdicts: z.array(Verdict),
  sides: z.array(z.strictObject({ name: z.string(), samples: z.array(Sample) })),
  gaps: z.array(Gap),
});
export type CaseResult = z.infer<typeof CaseResult>;

/** What a run of the benchmark measured: `bench/results.json`. */
export const Results = z.strictObject({ machine: Machine, cases: z.array(CaseResult) });
export type Results = z.infer<typeof Results>;
