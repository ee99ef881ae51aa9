import { ProblemError } from "../../src/core/problem.ts";
import type { HistoryEntry } from "../../src/core/run/history.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import type { PlannedRun } from "../../src/reports/text/summary.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { openWorkspace } from "../../src/setpoint.ts";
import { noLocks } from "./no-locks.ts";

/** The subjects that the tour shows: its first plan, the apply, and the drift after someone's change. */
export interface Tour {
  readonly plan: PlannedRun;
  readonly apply: PlannedRun;
  readonly calm: PlannedRun;
  readonly drift: PlannedRun;
}

/** Takes the tour without its commands, on a separate sandbox. */
export async function takeTour(): Promise<Tour> {
  const sandbox = await startSandbox();
  try {
    const workspace = openWorkspace({
      path: "examples/tour",
      variables: { port: new URL(sandbox.url).port },
      env: environmentFor(sandbox.url),
      now: () => new Date("2027-01-14T02:00:00.000Z"),
      locks: noLocks,
      runs: {
        newest: () => undefined,
        past: () => [],
        open: () => ({ path: "memory", write: async () => {}, close: async () => {} }),
      },
    });
    const planned = async (command: "plan" | "drift") => {
      const made = await workspace[command]();
      if (made.is === "wrong") throw new ProblemError(...made.problems);
      return made;
    };
    const first = await planned("plan");
    const report = await workspace.apply(first);
    const calm = await planned("drift");
    await unlock(sandbox.url);
    const { plan } = await planned("drift");
    return {
      plan: { plan: first.plan },
      apply: { plan: first.plan, report },
      calm: { plan: calm.plan },
      drift: { plan, history: nights(plan) },
    };
  } finally {
    await sandbox.close();
  }
}

/** Removes a rule of a lock, as an administrator would in the review service. */
async function unlock(url: string): Promise<void> {
  const ref = "refs/heads/release-2.4";
  const answer = await fetch(`${url}/review/a/projects/platform%2Fui/access`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("admin:secret")}`, "content-type": "application/json" },
    body: JSON.stringify({ remove: { [ref]: { permissions: { push: { rules: {} } } } }, message: "Just this once" }),
  });
  if (!answer.ok) throw new Error(`The rule was not removed: ${answer.status}`);
}

/** Returns a month of nights. The last night sees the drift for the second time. */
function nights({ changes, inSync }: Plan): readonly HistoryEntry[] {
  const drifts = [...Array.from("00110003220000100044110000001", Number), changes.length];
  const at = (index: number) => new Date(Date.UTC(2026, 11, 16 + index, 2)).toISOString();
  return drifts.map((drift, index) => ({
    version: 1,
    at: at(index),
    command: "drift",
    counts: {
      inSync: inSync.length + changes.length - drift,
      pending: 0,
      drift,
      conflict: 0,
      unknown: index === 18 ? 3 : 0,
      check: 0,
      acknowledged: 0,
    },
    findings: index < 28 ? [] : changes.map(({ address, verdict }) => ({ address, verdict, firstSeen: at(28) })),
  }));
}
