import type { Report } from "../../../src/core/run/outcome.ts";
import type { Wrong } from "../../../src/setpoint.ts";
import type { Lab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

export const org = "meridian-kites";
export const address = (repo: string) => `hosting/ActionsPermission/${org}/${repo}`;
export const workflows = (repo: string, enabled = false) => document("ActionsPermission", { org, repo, enabled });

export function problems(result: Report | Wrong): readonly string[] {
  return "is" in result ? result.problems.map(({ code, message }) => `${code} ${message}`) : ["it was applied"];
}

export function results(result: Report | Wrong): Readonly<Record<string, string>> {
  if ("is" in result) throw new Error(problems(result).join("\n"));
  return Object.fromEntries(result.outcomes.map((outcome) => [outcome.address, outcome.result]));
}

export const writes = (lab: Lab) => lab.asked().filter((operation) => /^(set|update|create|delete)/.test(operation));
