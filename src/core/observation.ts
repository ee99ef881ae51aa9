import type { Problem } from "./problem.ts";

/**
 * What a service says of one resource. `marker` is what a later write must know and no user states: a version, an id,
 * the rest of the remote object; `undefined` for kinds that need none. `note` is shown beside a difference, such as who
 * changed the object last. `unknown` is never treated as absent.
 */
export type Observation<Spec = unknown, Marker = unknown> =
  | { readonly is: "present"; readonly spec: Spec; readonly marker: Marker; readonly note?: string }
  | { readonly is: "absent"; readonly marker: Marker; readonly note?: string }
  | { readonly is: "unknown"; readonly problem: Problem };
