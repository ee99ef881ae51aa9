import type { Problem } from "../core/problem.ts";
import type { Service } from "../core/service.ts";
import type { Runs } from "../engine/journal/journal.ts";
import { findRun, pastRun, pastRuns } from "../engine/journal/past-runs.ts";
import { wayBack } from "../engine/journal/way-back.ts";
import type { Connections } from "../engine/sessions.ts";
import type { Declarations } from "../planner/subjects.ts";
import type { OpenWorkspace, Planned, PlanOptions, Wrong } from "./types.ts";

/** Replaces what the manifests declare. */
export type Turn = (
  stated: Declarations,
  services: readonly Service[],
  connections: Connections,
) => Promise<Declarations>;

/** The functions of a workspace about its past runs. */
export function pastOf(
  journals: Runs,
  planFor: (options: PlanOptions, isDrift: boolean, turn: Turn) => Promise<Planned | Wrong>,
): Pick<OpenWorkspace, "runs" | "run" | "revert"> {
  return {
    runs: () => pastRuns(journals.past()),
    run: (name) => pastRun(findRun(journals, name)),
    async revert(name, options = {}) {
      const past = findRun(journals, name);
      let left: readonly Problem[] = [];
      const planned = await planFor(options, false, async (stated, services, connections) => {
        const { readers } = await connections.open(services);
        const back = await wayBack(past, stated, services, readers);
        left = back.left;
        return back.declarations;
      });
      return planned.is === "wrong" ? planned : { ...planned, left };
    },
  };
}
