import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { operationsOf } from "../../src/clients/find-service.ts";
import { ProblemError } from "../../src/core/problem.ts";
import { plainSpec } from "../../src/planner/decide.ts";
import { kinds } from "../../src/reconcilers/registry.ts";

/** An answer with one record that can be strange, and a plain record beside it. */
interface Reading {
  readonly kind: string;
  readonly operation: string;
  readonly record: Readonly<Record<string, unknown>>;
  readonly answer: (record: unknown) => unknown;
  readonly others?: Readonly<Record<string, unknown>>;
  /** What the record says. */
  readonly wanted: Readonly<Record<string, unknown>>;
  /** What the plain record says. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** Members that identify the object of the record: without one of them, the whole answer is refused. */
  readonly required?: readonly string[];
  /** Members whose omission has a meaning, by a fact or a decision: a vote without a range, any project. */
  readonly tacit?: readonly string[];
  /** Whether an unknown member makes the resource unknown. */
  readonly strict?: boolean;
}

const rule = { action: "ALLOW", force: false };
const groups = { g: { name: "g" }, h: { name: "h" } };
const access = (permissions: unknown) => ({ is_owner: true, groups, local: { "refs/*": { permissions } } });
const about = { project: "p", ref: "refs/*" };
const given = { role: "R", account: "a", group: false };
const month = 30 * 86_400;

const readings: Readonly<Record<string, Reading>> = {
  "a role": {
    kind: "AnalysisRole",
    operation: "roles",
    required: ["name"],
    record: { name: "R", create_build: true, delete_build: false, allowed_status_transitions: "Any,Fix" },
    answer: (record) => [record, { name: "S", manage_roles: true }],
    wanted: {
      name: "R",
      createBuild: true,
      deleteBuild: false,
      allowedStatusTransitions: [{ from: "Any", to: "Fix" }],
    },
    beside: { name: "S", manageRoles: true },
  },
  "a role for all projects": {
    kind: "AnalysisRoleAssignment",
    operation: "roleAssignments",
    record: { name: "R", account: "a", group: false },
    answer: (record) => [record, { role: "R", projectId: 7, account: "b", group: true }],
    others: { projects: [{ id: "7", name: "P" }] },
    wanted: given,
    beside: { role: "R", project: "P", account: "b", group: true },
    strict: true,
  },
  "a role in a project": {
    kind: "AnalysisRoleAssignment",
    operation: "roleAssignments",
    record: { role: "R", projectId: 7, account: "a", group: false },
    tacit: ["projectId"],
    answer: (record) => [record, { name: "R", account: "b", group: true }],
    others: { projects: [{ id: "7", name: "P" }] },
    wanted: { ...given, project: "P" },
    beside: { role: "R", account: "b", group: true },
  },
  "a group": {
    kind: "AnalysisGroup",
    operation: "groups",
    required: ["name"],
    record: { name: "g", users: ["u", "v"] },
    answer: (record) => [record, { name: "h", users: ["w"] }],
    wanted: { name: "g", exclusive: true, users: ["u", "v"] },
    beside: { name: "h", exclusive: true, users: ["w"] },
  },
  "a module": {
    kind: "AnalysisModule",
    operation: "modules",
    required: ["name"],
    record: { name: "m", paths: ["/a"], allow_all: false },
    answer: (record) => [record, { name: "n", paths: ["/b"], allow_all: true }],
    wanted: { project: "P", name: "m", paths: ["/a"], allowAll: false },
    beside: { project: "P", name: "n", paths: ["/b"], allowAll: true },
  },
  "the rules of a permission": {
    kind: "AccessRule",
    operation: "getProjectAccess",
    record: { exclusive: false, rules: { g: rule } },
    tacit: ["exclusive", "rules"],
    answer: (push) => access({ push, submit: { rules: { h: rule } } }),
    others: { listProjects: { p: { id: "p" } }, getGroup: { id: "g", name: "g" } },
    wanted: { ...about, permission: "push", exclusive: false, rules: [{ group: "g", ...rule }] },
    beside: { ...about, permission: "submit", exclusive: false, rules: [{ group: "h", ...rule }] },
    strict: true,
  },
  "one of the rules of a permission": {
    kind: "AccessRule",
    operation: "getProjectAccess",
    record: { action: "BLOCK", force: false, min: -2, max: 2 },
    tacit: ["force", "min", "max"],
    answer: (one) => access({ "label-Code-Review": { rules: { g: one } }, submit: { rules: { h: rule } } }),
    others: { listProjects: { p: { id: "p" } }, getGroup: { id: "g", name: "g" } },
    wanted: {
      ...about,
      permission: "label-Code-Review",
      exclusive: false,
      rules: [{ group: "g", action: "BLOCK", force: false, min: -2, max: 2 }],
    },
    beside: { ...about, permission: "submit", exclusive: false, rules: [{ group: "h", ...rule }] },
    strict: true,
  },
  "a lock on a branch": {
    kind: "BranchLock",
    operation: "getProjectAccess",
    record: { exclusive: true, rules: { g: { action: "BLOCK" } } },
    answer: (push) => ({ is_owner: true, groups, local: { "refs/heads/b": { permissions: { push } } } }),
    others: { listProjects: { p: { id: "p" } }, getGroup: { id: "g", name: "g" } },
    wanted: {
      project: "p",
      branch: "b",
      permissions: ["push"],
      reviewUploads: false,
      groups: ["g"],
      exclusive: true,
      force: false,
    },
    tacit: ["exclusive", "rules"],
    strict: true,
  },
  "a token of the artifact repository": {
    kind: "AccessToken",
    operation: "listTokens",
    record: { token_id: "1", description: "d", scope: "s", subject: "x/users/u", issued_at: 1, expiry: 1 + month },
    answer: (record) => ({ tokens: [record, { token_id: "2", description: "e", scope: "t" }] }),
    wanted: { description: "d", referenceToken: false, scope: "s", username: "u", expiresIn: "30d" },
    beside: { description: "e", referenceToken: false, scope: "t" },
    required: ["token_id"],
    tacit: ["description", "scope", "subject", "issued_at", "expiry"],
  },
  "a token of the plugin": {
    kind: "PersonalToken",
    operation: "listTokens",
    record: { id: 1, description: "d", created: 1, validUntil: 1 + month * 1000 },
    answer: (record) => [record, { id: 2, description: "e", created: 1, validUntil: 1 + 2 * month * 1000 }],
    wanted: { description: "d", validFor: 1 },
    beside: { description: "e", validFor: 2 },
    required: ["id"],
    tacit: ["description", "validUntil"],
  },
  "what workflows may use": {
    kind: "ActionsPermission",
    operation: "getActionsPermissions",
    required: ["enabled"],
    record: { enabled: true, allowed_actions: "selected", sha_pinning_required: true },
    answer: (record) => record,
    others: {
      listUserRepositories: [
        { id: 1, name: "r", full_name: "o/r", html_url: "r", permissions: { admin: true, push: true, pull: true } },
      ],
    },
    wanted: { org: "o", repo: "r", enabled: true, allowedActions: "selected", shaPinningRequired: true },
  },
};

type Read = Readonly<Record<string, unknown>> | "absent" | "unknown";

/** Returns how a kind reads the answer with a record: what it sees for each specification, and what it lists, if it can. */
async function readWith({ kind: name, operation, answer, others, wanted, beside }: Reading, record: unknown) {
  const kind = kinds.get(name);
  if (kind === undefined) throw new Error(`There is no kind ${name}.`);
  const rows = operationsOf(kind.role);
  const answers = { projects: [{ id: "7", name: "P" }], ...others, [operation]: answer(record) };
  const reader = Object.fromEntries(
    Object.entries(answers).map(([row, given]) => [row, async () => decoded(rows[row]?.result.safeParse(given))]),
  );
  const specs = [wanted, ...(beside === undefined ? [] : [beside])];
  const found = await unlessRefused(kind.observe(reader, kind.scope(wanted), specs, new Date(0)));
  const seen = specs.map((spec): Read => {
    const observation = found?.get(kind.key(spec)) ?? { is: "unknown" };
    return observation.is === "present" ? plainSpec(kind, observation.spec) : observation.is;
  });
  const live = await unlessRefused(kind.list?.(reader, new Date(0)));
  return { seen, live: live?.map((spec) => plainSpec(kind, spec)), specs: specs.map((spec) => plainSpec(kind, spec)) };
}

function decoded(parsed: { readonly success: boolean; readonly data?: unknown } | undefined): unknown {
  if (parsed?.success !== true) throw new ProblemError({ code: "SP3103", message: "Not as documented." });
  return parsed.data;
}

async function unlessRefused<Result>(read: Promise<Result> | undefined): Promise<Result | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return undefined;
  }
}

/** A value that is invalid for every member. */
const strange = fc.constantFrom<unknown>({ strange: true }, [["?"]], [null], { name: { of: 1 } }, { name: "x", of: 1 });

const further = "further";

describe.each(Object.entries(readings))("%s", (_what, reading) => {
  const { record, required = [], tacit = [], strict = false } = reading;

  test("is read as the record says", async () => {
    const { seen, live = [], specs } = await readWith(reading, record);
    expect(seen).toEqual(specs);
    expect(live).toHaveLength(specs.length);
    for (const spec of live) expect(specs).toContainEqual(expect.objectContaining(spec));
  });

  test("is unknown or as the record says, whatever a member contains, and is not imported with more authority", async () => {
    const plain = await readWith(reading, record);
    const members = [...Object.keys(record), further];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...members), strange, async (member, value) => {
        const { seen, live = [] } = await readWith(reading, { ...record, [member]: value });
        const isIdle = member === further && !strict;
        expect(isIdle ? ["unknown", plain.seen[0]] : ["unknown"]).toContainEqual(seen[0]);
        for (const spec of live) expect(plain.live).toContainEqual(expect.objectContaining(spec));
      }),
    );
  });

  const stated = Object.keys(record).filter((name) => !tacit.includes(name));
  test.each(stated)(
    "is unknown if the record omits its %s, and is not imported with more authority",
    async (member) => {
      const plain = await readWith(reading, record);
      const { seen, live = [] } = await readWith(reading, { ...record, [member]: undefined });
      expect(seen[0]).toBe("unknown");
      for (const spec of live) expect(plain.live).toContainEqual(expect.objectContaining(spec));
    },
  );

  test("does not make other resources unknown if its record is strange", async () => {
    const plain = await readWith(reading, record);
    const named = Object.keys(record).filter((name) => !required.includes(name));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...named, further), strange, async (member, value) => {
        const { seen } = await readWith(reading, { ...record, [member]: value });
        expect(seen.slice(1)).toEqual(plain.seen.slice(1));
      }),
    );
  });
});
