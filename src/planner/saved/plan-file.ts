import type { Wrong } from "../../core/problem.ts";
import { Plan, type SavedManifests, type SavedPart } from "../../core/run/plan.ts";
import { describeIssues } from "../../core/text/issues.ts";
import { defined, isObject } from "../../core/text/json.ts";
import { readJsonObject } from "../../core/text/json-text.ts";
import { momentText } from "../../core/text/moment.ts";
import { fingerprint } from "../compile.ts";
import { portable } from "./manifests.ts";

/** What to save with a plan. */
export interface Saving {
  readonly expires: Date;
  readonly manifests: SavedManifests;
  readonly selection: SavedPart["selection"];
  /** The commit of the base. */
  readonly baseCommit: string | undefined;
  /** The folder of the workspace on this machine. */
  readonly folder: string;
}

/** Returns the plan in its saved form: sealed, with what an apply needs in order to recognise the manifests. */
export function savedPlan(plan: Plan, { expires, manifests, selection, baseCommit, folder }: Saving): Plan {
  // Warnings are about the journals of this machine.
  const { saved: _earlier, warnings: _here, ...own } = plan;
  const saved: SavedPart = defined({ expires: expires.toISOString(), manifests, selection, baseCommit, seal: "" });
  const content = portable(Plan.parse({ ...own, saved }), folder);
  return { ...content, saved: { ...saved, seal: sealOf(content) } };
}

/** Returns the checksum of everything except itself. It detects accidents, not forgery: a forger can compute it too. */
function sealOf(content: object): string {
  const saved = "saved" in content && isObject(content.saved) ? content.saved : {};
  return fingerprint({ ...content, saved: { ...saved, seal: undefined } });
}

/** A saved plan as it was read, or why it cannot be applied. */
export type ReadPlan = { readonly is: "read"; readonly plan: Plan; readonly saved: SavedPart } | Wrong;

/** The most, in milliseconds, by which the clocks of two machines are expected to differ. */
const skew = 5 * 60_000;

/** Parses and checks the text of a plan file. `now` decides whether the plan has expired. */
export function readSavedPlan(text: string, now: Date): ReadPlan {
  const wrong = (code: "SP1021" | "SP2004" | "SP2005", message: string, hint: string): ReadPlan => ({
    is: "wrong",
    problems: [{ code, message, hint }],
  });
  const make = "Make a plan with setpoint plan --out <file>, using this version.";
  const read = readJsonObject(text);
  if (read.is === "too large") return wrong("SP1021", "The file is larger than any plan.", make);
  if (read.is === "not JSON") return wrong("SP1021", `The file is not JSON${read.where}.`, make);
  if (read.is === "no object") return wrong("SP1021", "The file is not a plan.", make);
  const { value } = read;
  if (typeof value.version === "number" && value.version !== 1)
    return wrong(
      "SP1021",
      `The plan has version ${value.version}; expected version 1.`,
      "Plan again, and apply with the same version of setpoint.",
    );
  const { data: plan, error } = Plan.safeParse(value);
  if (plan === undefined)
    return wrong("SP1021", `The file is not a plan: ${describeIssues(error.issues, value, "the plan")}.`, make);
  const { saved } = plan;
  if (saved === undefined) return wrong("SP1021", "The plan was printed, not saved.", make);
  if (plan.affected !== undefined || plan.shard !== undefined)
    return wrong(
      "SP1021",
      "The plan covers only a part of what is declared. Such a plan can be read, but not applied.",
      make,
    );
  if (sealOf(value) !== saved.seal)
    return wrong(
      "SP2005",
      "The plan is not as it was saved: its seal does not match its content.",
      "Plan again, and apply the file unchanged.",
    );
  if (now.getTime() + skew < Date.parse(plan.about.at))
    return wrong(
      "SP2004",
      `The plan was made at ${momentText(plan.about.at)}, which is in the future.`,
      "Correct the clock of this machine.",
    );
  if (now.getTime() >= Date.parse(saved.expires))
    return wrong(
      "SP2004",
      `The plan expired at ${momentText(saved.expires)}.`,
      "Plan again and review that plan; --expires sets how long it is valid.",
    );
  return plan.refusals.length > 0 ? { is: "wrong", problems: plan.refusals } : { is: "read", plan, saved };
}
