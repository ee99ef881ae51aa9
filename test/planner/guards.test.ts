import { expect, test } from "vitest";
import type { PlannedCall } from "../../src/core/call.ts";
import type { Risk } from "../../src/core/change.ts";
import type { Consent, PlannedChange } from "../../src/core/run/plan.ts";
import type { Sink } from "../../src/core/sink.ts";
import { execRefusals, type Guards, refusals } from "../../src/planner/guards.ts";

function change(key: string, action: PlannedChange["action"], risks: readonly Risk[] = []): PlannedChange {
  return {
    address: `store/Box/${key}`,
    service: "store",
    kind: "Box",
    key,
    action,
    verdict: "pending",
    fields: [],
    risks,
    dependsOn: [],
    phase: 0,
  };
}

const deletes = (count: number) => Array.from({ length: count }, (_none, index) => change(`b${index}`, "delete"));

function refused(
  changes: readonly PlannedChange[],
  guards: Partial<Guards>,
  consent: Consent = {},
  { live = 0, shielded = [] }: { readonly live?: number; readonly shielded?: readonly string[] } = {},
) {
  const all = { maxDeletePercent: 100, noDeletes: false, ...guards };
  const isProtected = (address: string) => shielded.includes(address);
  return refusals(changes, new Map([["store/Box", live]]), isProtected, all, consent).map(
    ({ message, hint }) => `${message} ${hint}`,
  );
}

test("too many deletes are named, with the option that allows exactly that many", () => {
  expect(refused(deletes(3), { maxDeletes: 2 })).toEqual([
    "The plan deletes 3 resources; the workspace allows 2: store/Box/b0, store/Box/b1, store/Box/b2. " +
      "If all of them are intended, allow it for this run only: --max-deletes 3. Or delete in several steps.",
  ]);
  expect(refused(deletes(3), { maxDeletes: 2 }, { maxDeletes: 3 })).toEqual([]);
  expect(refused(deletes(3), {}, { maxDeletes: 2 })).toEqual([expect.stringContaining("--max-deletes allows 2")]);
});

test("too large a share is named, with the option that allows exactly that share", () => {
  const live = { live: 11 };
  expect(refused(deletes(4), { maxDeletePercent: 30 }, {}, live)).toEqual([
    "The plan deletes 4 of 11 live store/Box resources; the workspace allows 30 %: " +
      "store/Box/b0, store/Box/b1, store/Box/b2, store/Box/b3. " +
      "If all of them are intended, allow it for this run only: --max-delete-percent 37. Or delete in several steps.",
  ]);
  expect(refused(deletes(4), { maxDeletePercent: 30 }, { maxDeletePercent: 37 }, live)).toEqual([]);
  expect(refused(deletes(4), { maxDeletePercent: 30 }, { maxDeletePercent: 36 }, live)).toHaveLength(1);
});

test("the delete of a protected resource is allowed by its address, quoted for a shell", () => {
  const shielded = ["store/Box/it's"];
  const gone = [change("it's", "delete")];
  expect(refused(gone, {}, {}, { shielded })).toEqual([expect.stringContaining("--accept 'store/Box/it'\\''s'.")]);
  expect(refused(gone, {}, { accept: ["store/Box/*"] }, { shielded })).toHaveLength(1);
  expect(refused(gone, {}, { accept: shielded }, { shielded })).toEqual([]);
  const hidden = { shielded: ["store/Box/a\u200bb"] };
  const asPrinted = { accept: ["store/Box/a\\u{200b}b"] };
  expect(refused([change("a\u200bb", "delete")], {}, asPrinted, hidden)).toEqual([]);
});

test("a risk that the workspace wants accepted is refused until it is, naming the resources that have it", () => {
  const changes = [change("a", "update", ["widens-access"]), change("b", "create", ["secret-rotates"])];
  const guards: Partial<Guards> = { accept: ["widens-access", "irreversible"] };
  expect(refused(changes, guards)).toEqual([
    "The plan widens access, and the workspace requires that to be accepted: store/Box/a. " +
      "If this is intended, allow it for this run only: --accept widens-access.",
  ]);
  expect(refused(changes, guards, { accept: ["widens-access"] })).toEqual([]);
  expect(refused(changes, guards, { accept: ["irreversible"] })).toHaveLength(1);
});

test("no option allows what --no-deletes forbids", () => {
  const consent = { accept: ["irreversible", "store/Box/b0"], maxDeletes: 1, maxDeletePercent: 100 };
  expect(refused(deletes(1), { noDeletes: true }, consent)).toEqual([
    "The plan deletes 1 resource, and --no-deletes forbids that: store/Box/b0. " +
      "If this is intended, leave out --no-deletes for this run.",
  ]);
});

test("the first of very many resources are named and the rest counted", () => {
  const [message = ""] = refused(deletes(500), { maxDeletes: 1 });
  expect(message).toContain("store/Box/b19 and 480 more.");
  expect(message).not.toContain("b20");
});

test("up to twenty resources are all named", () => {
  const [twenty = "", more = ""] = [20, 21].flatMap((count) => refused(deletes(count), { maxDeletes: 1 }));
  expect(twenty).toContain("store/Box/b18, store/Box/b19. If");
  expect(more).toContain("store/Box/b19 and 1 more. If");
});

test("a share counts from ten live resources on, and can be exactly as large as allowed", () => {
  const guards = { maxDeletePercent: 30 };
  expect(refused(deletes(3), guards, {}, { live: 10 })).toEqual([]);
  expect(refused(deletes(4), guards, {}, { live: 10 })).toHaveLength(1);
  expect(refused(deletes(9), guards, {}, { live: 9 })).toEqual([]);
  const gauges = deletes(4).map((one) => ({ ...one, kind: "Gauge" }));
  expect(refused(gauges, guards, {}, { live: 10 })).toEqual([]);
  expect(refused([...deletes(3), ...gauges], guards, {}, { live: 10 })).toEqual([]);
});

test("as many deletes as allowed are not refused, and nothing else counts as a delete", () => {
  expect(refused(deletes(2), { maxDeletes: 2 })).toEqual([]);
  const others = (["create", "update", "check"] as const).map((action) => change(action, action));
  expect(
    refused(
      others,
      { maxDeletes: 0, maxDeletePercent: 0, noDeletes: true },
      {},
      { live: 10, shielded: ["store/Box/update"] },
    ),
  ).toEqual([]);
});

test("--no-deletes forbids what cannot be undone along with deletes, in words of its own", () => {
  const changes = [
    change("a", "update", ["irreversible"]),
    change("b", "delete"),
    change("c", "update", ["widens-access"]),
  ];
  expect(refused(changes, { noDeletes: true })).toEqual([
    "The plan deletes something that cannot be restored, and --no-deletes forbids that: store/Box/a, store/Box/b. " +
      "If this is intended, leave out --no-deletes for this run.",
  ]);
  expect(refused(changes, { noDeletes: false })).toEqual([]);
});

test("a refusal says that a resource is protected, and quotes its address only if necessary", () => {
  expect(refused([change("x", "delete"), change("y", "delete")], {}, {}, { shielded: ["store/Box/x"] })).toEqual([
    "store/Box/x is protected, and this plan would delete it. " +
      "Remove metadata.protect first, in a separate commit, or allow it for this run only: --accept store/Box/x.",
  ]);
  for (const key of ["a b", "$(x)", "a;b", "é", "~x"])
    expect(refused([change(key, "delete")], {}, {}, { shielded: [`store/Box/${key}`] })[0]).toContain(
      `'store/Box/${key}'`,
    );
});

test.each<[Risk, string]>([
  ["widens-access", "widens access"],
  ["narrows-access", "narrows access"],
  ["irreversible", "makes changes that cannot be undone"],
  ["secret-rotates", "rotates secrets"],
])("%s is described as: the plan %s", (risk, words) => {
  expect(refused([change("a", "update", [risk])], { accept: [risk] })[0]).toContain(`The plan ${words}, and`);
});

test("a refusal has its code, and the address if it concerns a single resource", () => {
  const all = { maxDeletes: 0, maxDeletePercent: 0, noDeletes: true, accept: ["irreversible"] as const };
  const changes = [change("x", "delete", ["irreversible"])];
  const problems = refusals(changes, new Map([["store/Box", 10]]), () => true, all);
  expect(problems.map(({ code, address }) => [code, address])).toEqual([
    ["SP2002", "store/Box/x"],
    ...Array(4).fill(["SP2002", undefined]),
  ]);
});

test("a secret that would go to a command is refused if commands are not allowed, at the resource that gets it", () => {
  const guards = { maxDeletePercent: 100, noDeletes: false };
  const otherwise = { operation: "revoke", argument: "id", from: "id" };
  const call = (to: Sink): PlannedCall => ({
    id: 1,
    service: "store",
    operation: "issue",
    args: {},
    carries: ["store/Box/x"],
    phase: 0,
    lane: "store x",
    deliver: { from: "token", to, otherwise },
  });
  const { deliver: _deliver, ...plain } = call({ file: "a" });
  const calls = [plain, call({ file: "a" }), call({ command: ["vault"], check: ["vault"] })];
  expect(execRefusals(calls, { ...guards, noExec: true })).toMatchObject([
    { code: "SP2002", address: "store/Box/x", message: expect.stringContaining("the command vault,") },
  ]);
  expect(execRefusals(calls, { ...guards, noExec: false })).toEqual([]);
  expect(execRefusals(calls, guards)).toEqual([]);
});
