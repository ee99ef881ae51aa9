import { ProblemError } from "../../../src/core/problem.ts";
import type { Planned, PlanOptions } from "../../../src/setpoint.ts";
import { type Desk, lock } from "../../support/commands.ts";
import { gitIn } from "../../support/git.ts";

export const applied = "refs/setpoint/applied";
export const locks = lock("platform/core", "release-2.2") + lock("platform/core", "release-2.3");

export async function planOf(desk: Desk, options: PlanOptions): Promise<Planned> {
  const planned = await desk.open().plan(options);
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  return planned;
}

export async function problemsOf(desk: Desk, options: PlanOptions): Promise<ProblemError["problems"]> {
  const planned = await desk.open().plan(options);
  return planned.is === "wrong" ? planned.problems : [];
}

export function head(desk: Desk): string {
  return gitIn(desk.path, "rev-parse", "HEAD").trim();
}

export function refOf(desk: Desk): string {
  return gitIn(desk.path, "for-each-ref", "--format=%(objectname)", applied).trim();
}
