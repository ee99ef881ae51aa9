import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import { beforeAll, expect, test } from "vitest";
import type { Report } from "../../src/core/run/outcome.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { isObject } from "../../src/core/text/json.ts";
import { openDirectLab } from "../support/lab.ts";
import { document } from "../support/manifest.ts";

const published = (name: "plan" | "report") =>
  new Ajv({ strict: true }).compile(JSON.parse(readFileSync(`schema/${name}.schema.json`, "utf8")));

const org = "meridian-kites";
const deploy = { description: "deploy", scope: "applied-permissions/user", deliver: { file: "deploy" } };
const base = document("ActionsPermission", { org, repo: "website", enabled: false });
const manifests = [
  base,
  document("AnalysisUser", { name: "auditor" }, { expires: "2026-01-01" }),
  document("ActionsPermission", { org, repo: "handbook", enabled: false }, { ignore: ["enabled"] }),
  document("LatestRelease", { repo: `${org}/website`, tag: "v9" }),
  document("WikiPage", { id: "48213", title: "Dates" }),
  document("AnalysisGroup", { name: "newcomers", users: ["newcomer"] }),
  document("AnalysisUser", { name: "newcomer" }),
  document("AccessToken", deploy),
  document("SystemProperty", { name: "user.timezone", value: "Europe/Oslo" }),
].join("");
const protectedDelete = document("AnalysisUser", { name: "jdoe" }, { state: "absent", protect: true });

/** The value as JSON preserves it: with every member, whether its type declares it or not. */
const asJson = (value: Plan | Report): unknown => JSON.parse(JSON.stringify(value));

let plan: unknown;
let report: unknown;

beforeAll(async () => {
  await using lab = await openDirectLab({ recheck: true, env: { SETPOINT_CI_PASSWORD: "wrong" } });
  const consent = { accept: ["irreversible"] };
  plan = asJson(await lab.save({ now: manifests + protectedDelete, base, unmanaged: true, consent }));
  const moveMeanwhile = () =>
    lab.sandbox.change(({ hosting }) => {
      for (const { actions } of hosting.repositories) actions.sha_pinning_required = true;
    });
  report = asJson(await lab.apply({ now: manifests, base }, moveMeanwhile));
});

const optionalInPlan = [
  "base",
  "calls.deliver",
  "changes.events",
  "changes.events.by",
  "changes.events.message",
  "changes.events.version",
  "changes.fields.desired",
  "changes.fields.live",
  "changes.fields.place",
  "changes.happened",
  "changes.instruction",
  "changes.note",
  "changes.place",
  "newlyAcknowledged",
  "newlyAcknowledged.fields",
  "refusals.address",
  "refusals.hint",
  "unknown.problem.hint",
  "unknown.problem.operation",
  "unknown.problem.service",
];
const openInPlan = ["calls.args", "changes.fields.desired", "fingerprints", "forecast.writes"];

test("a plan has every member that the published schema requires, and none that it does not allow", () => {
  expect(looseness(published("plan"), plan)).toEqual({
    optional: [...optionalInPlan, "consented", "consented.accept", "saved", "unmanaged"].sort(),
    open: [...openInPlan, "saved.manifests.resources", "saved.manifests.rules"],
  });
});

test("so does a report, including the plan that was applied", () => {
  const isPresent = (path: string) => !path.startsWith("refusals");
  expect(looseness(published("report"), report)).toEqual({
    optional: [
      "calls.problem",
      "calls.problem.hint",
      "calls.problem.operation",
      "calls.problem.service",
      "outcomes.problem",
      "outcomes.problem.hint",
      "outcomes.problem.operation",
      "outcomes.problem.service",
      ...[...optionalInPlan.filter(isPresent), "forecast.services"].sort().map((path) => `plan.${path}`),
    ],
    open: [...[...openInPlan, "forecast.services"].sort().map((path) => `plan.${path}`), "requests"],
  });
});

/**
 * Where a valid value is free to differ: members that can be missing, and objects with members of any name. Paths are
 * sorted and without array indexes; the inside of an open object is not examined.
 */
function looseness(
  validate: ValidateFunction,
  root: unknown,
): { readonly optional: readonly string[]; readonly open: readonly string[] } {
  expect(validate(root), JSON.stringify(validate.errors)).toBe(true);
  const [optional, open] = [new Set<string>(), new Set<string>()];
  const walk = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const element of value) walk(element, path);
    if (!isObject(value)) return;
    const members = Object.entries(value);
    Reflect.set(value, "surprise", members[0]?.[1]);
    const isOpen = validate(root);
    Reflect.deleteProperty(value, "surprise");
    if (isOpen) {
      open.add(path);
      return;
    }
    for (const [name, member] of members) {
      const inner = path === "" ? name : `${path}.${name}`;
      Reflect.deleteProperty(value, name);
      if (validate(root)) optional.add(inner);
      Reflect.set(value, name, member);
      walk(member, inner);
    }
  };
  walk(root, "");
  return { optional: [...optional].sort(), open: [...open].sort() };
}
