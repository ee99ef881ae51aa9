import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import type { Plan } from "../../src/core/run/plan.ts";
import { lock, openDesk, workflows } from "../support/commands.ts";

const manifests = lock("platform/core", "release-2.4") + workflows("website", false) + workflows("handbook", true);
const addresses = [
  "hosting/ActionsPermission/meridian-kites/handbook",
  "hosting/ActionsPermission/meridian-kites/website",
  "review/BranchLock/platform/core:release-2.4",
];

test("a plan shows what would change and only reads", async () => {
  await using desk = await openDesk(manifests);
  const { code, out, err } = await desk.run(["plan"]);
  expect(out).toMatchInlineSnapshot(`
    "review   http://sandbox.example/review                                                        1 read
      + BranchLock platform/core:release-2.4                                     pending, narrows access
          project        platform/core
          branch         release-2.4
          permissions    create, delete, push, pushMerge, submit
          reviewUploads  true
          groups         global:Registered-Users
          exclusive      true
          force          false
          manifests/all.yaml:2

    hosting  http://sandbox.example/hosting                                                      2 reads
      ~ ActionsPermission meridian-kites/website                                 pending, narrows access
          enabled  true → false
          manifests/all.yaml:5

    1 in sync   2 pending   0 drift   0 conflicts   0 unknown
    Apply would make 2 calls: 1 × hosting.setActionsPermissions, 1 × review.modifyProjectAccess.
    After about 2 requests to hosting: 4,998 of 5,000 requests left until 2100-01-01 00:00 UTC.
    "
  `);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(desk.sandbox.requests().map(({ effect }) => effect)).toEqual(["read", "read", "read"]);
});

test("a plan without differences says so, and exits with 0 even with --detailed-exitcode", async () => {
  await using desk = await openDesk(workflows("handbook", true));
  expect(await desk.run(["plan", "--detailed-exitcode"])).toEqual({
    code: 0,
    out: "Everything is as desired: 1 resource, 1 read.\n",
    err: "",
  });
});

test("--json is one object of the published schema; with --detailed-exitcode, differences exit with 2", async () => {
  await using desk = await openDesk(manifests);
  const { code, out } = await desk.run(["plan", "--json", "--detailed-exitcode"]);
  const validate = new Ajv({ strict: true }).compile(JSON.parse(readFileSync("schema/plan.schema.json", "utf8")));
  expect(validate(JSON.parse(out)), JSON.stringify(validate.errors)).toBe(true);
  const { changes, calls, inSync }: Plan = JSON.parse(out);
  expect({ code, changes: changes.map(({ address }) => address), calls: calls.length, inSync }).toEqual({
    code: 2,
    changes: [addresses[1], addresses[2]],
    calls: 2,
    inSync: [addresses[0]],
  });
});

test("a selection reads nothing else", async () => {
  await using desk = await openDesk(manifests);
  const selections = [
    [{ service: ["hosting"] }, [0, 1]],
    [{ kind: ["BranchLock"] }, [2]],
    [{ only: ["hosting/*"] }, [0, 1]],
    [{ only: [addresses[2] ?? ""] }, [2]],
  ] as const;
  for (const [selection, expected] of selections) {
    desk.sandbox.clear();
    const planned = await desk.open().plan(selection);
    const { changes, inSync } = planned.is === "planned" ? planned.plan : { changes: [], inSync: [] };
    const looked = [...changes.map(({ address }) => address), ...inSync].sort();
    expect(looked).toEqual(expected.map((index) => addresses[index]));
    const roles = new Set(looked.map((address) => address.split("/", 1)[0]));
    expect(new Set(desk.sandbox.requests().map(({ service }) => service))).toEqual(roles);
  }
});

test("the address that a plan shows can be copied into --only, and combined with --service and --kind", async () => {
  await using desk = await openDesk(manifests);
  const selection = ["--only", "BranchLock platform/core:release-2.4", "--service", "review", "--kind", "BranchLock"];
  const { out } = await desk.run(["plan", "--json", ...selection]);
  const { changes }: Plan = JSON.parse(out);
  expect(changes.map(({ address }) => address)).toEqual([addresses[2]]);
});

test("all selections that match nothing are reported as errors", async () => {
  await using desk = await openDesk(manifests);
  const wrong = ["--service", "hostin", "--kind", "BranchLok", "--only", "review/BranchLock/platform/core:release-2.5"];
  const { code, out } = await desk.run(["plan", ...wrong]);
  expect(out).toMatchInlineSnapshot(`
    "SP1018  --service hostin matches nothing that the manifests declare.
      Hint: Did you mean hosting?
    SP1018  --kind BranchLok matches nothing that the manifests declare.
      Hint: Did you mean BranchLock?
    SP1018  review/BranchLock/platform/core:release-2.5 matches nothing that the manifests declare.
      Hint: Did you mean review/BranchLock/platform/core:release-2.4?
    No plan was made.
    "
  `);
  expect(code).toBe(1);
  expect(desk.sandbox.requests()).toEqual([]);
});

test("a selection of a document with an error is not called a selection of nothing", async () => {
  await using desk = await openDesk("kind: AnalysisGroup\nspec: { name: 5 }\n");
  const { code, out } = await desk.run(["plan", "--kind", "AnalysisGroup"]);
  expect(out).toMatch(/^manifests\/all\.yaml:2:15 {2}SP1002 /);
  expect(out).not.toContain("SP1018");
  expect(code).toBe(1);
});

test("errors in manifests stop a plan before any service is called", async () => {
  await using desk = await openDesk("kind: BranchLok\nspec: {}\n");
  const { code, out } = await desk.run(["plan"]);
  expect(out).toMatchInlineSnapshot(`
    "manifests/all.yaml:1:7  SP1008  There is no kind "BranchLok". Did you mean "BranchLock"?
      1 │ kind: BranchLok
        │       ^^^^^^^^^
    No plan was made.
    "
  `);
  expect(code).toBe(1);
  expect(desk.sandbox.requests()).toEqual([]);
});

test("a service that does not answer is unknown, and nothing is decided about its resources", async () => {
  await using desk = await openDesk(manifests, {});
  const elsewhere = { SETPOINT_REVIEW_PASSWORD: "wrong" };
  const { code, out } = await desk.run(["plan"], elsewhere);
  expect(out).toMatchInlineSnapshot(`
    "review   http://sandbox.example/review                                                        1 read
      ? 1 resource  The service answered 401: Unauthorized.                                       SP3003
            review/BranchLock/platform/core:release-2.4
          Hint: Check SETPOINT_REVIEW_USERNAME and SETPOINT_REVIEW_PASSWORD, which may be wrong, expired
          or for another account.

    hosting  http://sandbox.example/hosting                                                      2 reads
      ~ ActionsPermission meridian-kites/website                                 pending, narrows access
          enabled  true → false
          manifests/all.yaml:5

    1 in sync   1 pending   0 drift   0 conflicts   1 unknown
    Apply would make 1 call: 1 × hosting.setActionsPermissions.
    After about 2 requests to hosting: 4,998 of 5,000 requests left until 2100-01-01 00:00 UTC.
    Unknown resources are left alone until they can be read.
    "
  `);
  expect(code).toBe(3);
});

test("missing credentials make a service unknown and say what to set", async () => {
  await using desk = await openDesk(lock("platform/core", "release-2.4"));
  const { code, out } = await desk.run(["plan"], { SETPOINT_REVIEW_PASSWORD: undefined });
  expect(out).toMatchInlineSnapshot(`
    "review  http://sandbox.example/review                                                        0 reads
      ? 1 resource  SETPOINT_REVIEW_USERNAME is set, but SETPOINT_REVIEW_PASSWORD is not.         SP3001
            review/BranchLock/platform/core:release-2.4
          Hint: Set SETPOINT_REVIEW_PASSWORD.

    0 in sync   0 pending   0 drift   0 conflicts   1 unknown
    An apply would make no call.
    Unknown resources are left alone until they can be read.
    "
  `);
  expect(code).toBe(3);
  expect(desk.sandbox.requests()).toEqual([]);
});
