import type { Wrong } from "../core/problem.ts";
import type { Address } from "../core/resource.ts";
import type { Service } from "../core/service.ts";
import type { Runs } from "../engine/journal/journal.ts";
import { findRun, pastRun, pastRuns } from "../engine/journal/past-runs.ts";
import { type WayBack, wayBack } from "../engine/journal/way-back.ts";
import type { Connections } from "../engine/sessions.ts";
import type { Declarations } from "../planner/subjects.ts";
import type { OpenWorkspace, Planned, PlanOptions } from "./types.ts";

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
      const impossible = new Map<Address, string>();
      for (;;) {
        let back: Pick<WayBack, "left" | "undone"> = { left: [], undone: new Set() };
        const planned = await planFor(options, false, async (stated, services, connections) => {
          const { readers } = await connections.open(services);
          const { declarations, ...found } = await wayBack(past, stated, services, readers, impossible);
          back = found;
          return declarations;
        });
        if (planned.is === "planned") return { ...planned, left: back.left };
        // What refers to something that is gone cannot be restored, nor deleted what something refers to, but all else can be undone.
        const { undone } = back;
        const dangling = planned.problems.flatMap(({ address = "", refersTo = "", message }) => {
          const kept = undone.has(address) ? address : refersTo;
          return refersTo !== "" && undone.has(kept) ? [[kept, message] as const] : [];
        });
        if (dangling.length === 0) return planned;
        for (const [address, message] of dangling) impossible.set(address, message);
      }
    },
  };
}
