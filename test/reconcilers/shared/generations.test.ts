import { expect, test } from "vitest";
import type { Writable } from "../../../src/core/change.ts";
import type { OperationTable } from "../../../src/core/operation.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Sink } from "../../../src/core/sink.ts";
import {
  askHeld,
  declarable,
  findToken,
  type Generations,
  type Held,
  type Listed,
  liveRotation,
  needsLonger,
  rotate,
} from "../../../src/reconcilers/shared/generations.ts";

const deploy = { description: "deploy", deliver: { file: "deploy" } as Sink };

function token(id: number, description: string, more: Partial<Listed> = {}): Listed {
  return { id, description, ends: undefined, created: undefined, unclear: undefined, ...more };
}

test.each([
  ["absent", "the expiry", { expiry: ["?"] }],
  ["unknown", "the description", { description: ["?"] }],
])("a token that is not found is %s if %s of another one is not understood", async (is, _what, unclear) => {
  const other = token(1, "other", { unclear });
  const found = await findToken([other], { description: "deploy" }, new Date(0), async () => ({ is: "untold" }));
  expect(found.is).toBe(is);
});

const rotated = [token(2, "deploy (2)"), token(1, "deploy"), token(3, "deploy (3)"), token(9, "deployment")];
const ids = [1, 2, 3];

test.each<[string, Held<number>, object]>([
  [
    "the first",
    { is: "generation", id: 1 },
    { token: { id: 1 }, isHeld: true, marker: { ids, current: 1, next: 4, kept: 1 } },
  ],
  [
    "one between",
    { is: "generation", id: 2 },
    { token: { id: 2 }, isHeld: true, marker: { ids, current: 2, next: 4, kept: 2 } },
  ],
  ["another", { is: "generation", id: 9 }, { token: { id: 3 }, marker: { ids, current: 3, next: 4 } }],
  ["none", { is: "stranger" }, { token: { id: 3 }, marker: { ids, current: 3, next: 4 } }],
  ["nobody knows which", { is: "untold" }, { token: { id: 3 }, marker: { ids, current: 3, next: 4 } }],
])(
  "of several live generations the one that the sink holds counts, else the newest: %s",
  async (_what, held, expected) => {
    const found = await findToken(rotated, deploy, new Date(0), async () => held);
    expect(found).toMatchObject({ is: "present", ...expected });
    expect("isHeld" in found).toBe("isHeld" in expected);
  },
);

test("a token whose description begins alike is no generation, not even after a rotation of its own: it stays", async () => {
  const others = [token(1, "deploy nightly (2)"), token(2, "deployment"), token(3, "deploy (2) old")];
  expect(await findToken(others, deploy, new Date(0), async () => ({ is: "untold" }))).toEqual({
    is: "absent",
    marker: { ids: [], current: undefined, next: 1 },
  });
});

test("one generation that the sink holds leaves nothing over, and an expired one is not live but is revoked too", async () => {
  const all = [token(1, "deploy", { ends: 1000 }), token(2, "deploy (2)", { ends: 1001 })];
  const found = await findToken(all, deploy, new Date(1000), async () => ({ is: "generation", id: 2 }));
  expect(found).toEqual({ is: "present", token: all[1], marker: { ids: [1, 2], current: 2, next: 3 }, isHeld: true });
  expect(await findToken(all, deploy, new Date(1001), async () => ({ is: "untold" }))).toEqual({
    is: "absent",
    marker: { ids: [1, 2], current: undefined, next: 3 },
  });
});

test.each([
  ["stranger", ["SP3003"]],
  ["untold", ["SP3004"]],
  ["untold", ["SP3003", "SP3101"]],
] as const)(
  "a sign-in with the secret of a sink shows that its holder is %s if it fails with %o",
  async (is, codes) => {
    const signIn = async () => ({}) as never;
    const failing = () => Promise.reject(new ProblemError(...codes.map((code) => ({ code, message: "No." }))));
    expect(await askHeld(deploy.deliver, signIn, failing)).toEqual({ is });
  },
);

test("an import leaves out tokens that a manifest cannot name: expired, of several generations, or not understood", () => {
  const live = [
    token(1, "one (2)"),
    token(2, "two"),
    token(3, "two (2)"),
    token(4, " three"),
    token(5, "four", { unclear: { scope: "?" } }),
    token(6, "five", { ends: 1000 }),
    token(7, "six", { ends: 1001 }),
  ];
  expect(declarable(live, new Date(1000)).map(({ base }) => base)).toEqual(["one", "six"]);
  expect(declarable(live, undefined).map(({ base }) => base)).toEqual(["one", "five", "six"]);
});

test.each([
  ["only others are left over beside it", ["deliver"], ["revoke 1", "revoke 3"]],
  ["it also becomes another one", ["deliver", "scope"], ["create deploy (4)", "revoke 1", "revoke 2", "revoke 3"]],
] as const)("a token that the sink holds stays if %s", (_what, fields, calls) => {
  const change: Writable<typeof deploy, Generations<number>> = {
    address: "a/AccessToken/deploy",
    key: "deploy",
    verdict: "drift",
    action: "update",
    marker: { ids, current: 2, next: 4, kept: 2 },
    live: deploy,
    desired: deploy,
    kept: [],
    fields: fields.map((name) => ({ path: [name], live: 1, desired: 2, verdict: "drift" })),
  };
  const said: string[] = [];
  rotate<typeof deploy, number, OperationTable>(change, {
    create: (_spec, description) => said.push(`create ${description}`) as never,
    revoke: (id) => said.push(`revoke ${id}`) as never,
  });
  expect(said.toSorted()).toEqual(calls);
});

const day = 86_400_000;

test.each([
  ["a person if it would be due again at once", ["rotateBefore"], "30d", 30, true],
  ["a person too if more changes", ["scope", "rotateBefore"], "30d", 30, true],
  ["nobody if it lives longer", ["rotateBefore"], "30d", 31, false],
  ["nobody if no rotation is due", ["scope"], "30d", 30, false],
  ["nobody if the manifest rotates nothing", ["rotateBefore"], undefined, 30, false],
] as const)("a new token needs %s", (_what, fields, rotateBefore, days, isNeeded) => {
  const spec = { rotateBefore };
  const change: Writable<typeof spec> = {
    address: "a/AccessToken/deploy",
    key: "deploy",
    verdict: "drift",
    action: "update",
    marker: undefined,
    live: spec,
    desired: spec,
    kept: [],
    fields: fields.map((name) => ({ path: [name], live: 1, desired: 2, verdict: "drift" })),
  };
  expect(needsLonger(change, "rotateBefore", () => days * day) !== undefined).toBe(isNeeded);
});

test.each([
  [{ ends: 7 * day }, "ends 1970-01-08T00:00:00.000Z"],
  [{ ends: 7 * day + 1 }, "7d"],
  [{}, "7d"],
])("a rotation is due from the moment on that rotateBefore names: %o", (more, rotateBefore) => {
  const found = { is: "present", token: token(1, "deploy", more), marker: { ids: [1], current: 1, next: 2 } } as const;
  const wanted = { rotateBefore: "7d", deliver: deploy.deliver };
  expect(liveRotation(found, wanted, new Date(0))).toEqual({ rotateBefore, deliver: deploy.deliver });
});
