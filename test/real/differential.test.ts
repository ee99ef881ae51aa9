import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ReviewState } from "../../src/sandbox/review/state.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { World } from "../../src/sandbox/world.ts";
import { describeWithGerrit } from "./support/describe.ts";
import { type Answer, Gerrit } from "./support/gerrit.ts";
import { lawRuns } from "./support/law-runs.ts";

const registered = "global:Registered-Users";
/** Generates common values, and one time in twenty a rare one. */
function mostly<Value>(common: fc.Arbitrary<Value>, ...rare: readonly Value[]): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 19, arbitrary: common }, { weight: 1, arbitrary: fc.constantFrom(...rare) });
}

function map(names: fc.Arbitrary<string>, values: fc.Arbitrary<unknown>, maxKeys = 2): fc.Arbitrary<object> {
  return fc.dictionary(names, values, { minKeys: 1, maxKeys, noNullPrototype: true });
}

const group = mostly(fc.constantFrom(registered, "Developers", "testers"), "registered users", "no such");
const permission = mostly(fc.constantFrom("push", "submit", "label-Code-Review"), "fly", "label-No", "label-a_b");
const ref = mostly(
  fc.constantFrom("refs/heads/x", "^refs/heads/x$", "refs/*"),
  ...["refs/for/refs/heads/x", "heads/x", "refs/heads/x y", "^refs/heads/(", "^refs/heads/.*", "GLOBAL_CAPABILITIES"],
);
const range = mostly<object>(
  fc.constantFrom({}, {}, { min: -1, max: 1 }, { min: -2, max: 2 }),
  ...[{ min: -1 }, { max: 0 }, { min: 1, max: -1 }],
);
const rule = mostly<object | null>(
  fc
    .tuple(fc.constantFrom("ALLOW", "BLOCK", "DENY"), fc.boolean(), range)
    .map(([action, force, votes]) => ({ action, force, ...votes })),
  ...[null, {}, { action: "block" }, { action: null, force: "yes" }],
);
const rules = map(group, rule);

const added = mostly<object | null>(
  map(
    permission,
    mostly<object | null>(
      fc.record({ exclusive: fc.boolean(), rules }, { requiredKeys: ["rules"] }),
      ...[null, {}, { exclusive: true }, { exclusive: true, rules: {} }, { rules: null }],
    ),
  ).map((permissions) => ({ permissions })),
  ...[null, {}, { permissions: {} }, { permissions: null }],
);

/** Removals, in all ways that the service has: half of them are not rules by name. */
const removed = mostly<object | null>(
  fc
    .oneof(
      map(
        permission,
        mostly<object | null>(fc.oneof(fc.record({ rules }), fc.constantFrom({ rules: {} }, {})), null),
        3,
      ),
      fc.constant({}),
    )
    .map((permissions) => ({ permissions })),
  ...[null, {}, { permissions: null }],
);

const change = fc.record(
  {
    remove: map(ref, removed),
    add: map(ref, added),
    message: fc.constantFrom("Why\n\nbecause ", "", " "),
    parent: mostly(fc.constant("All-Projects"), "nope", "other"),
  },
  { requiredKeys: [] },
);

const body = mostly(
  change.map((sent) => JSON.stringify(sent)),
  ...["{", "[]", '"x"', "null", "", '{"add":[]}', '{"add":3}', '{"remove":{"refs/heads/x":{"permissions":[]}}}'],
);

/** `<once>` and `<twice>` stand for the project of the run, encoded once or twice. */
const request = fc.oneof(
  { weight: 4, arbitrary: body.map((raw) => ({ method: "POST", path: "/a/projects/<once>/access", raw })) },
  { weight: 1, arbitrary: fc.constant({ method: "GET", path: "/a/projects/<once>/access" }) },
  {
    weight: 1,
    arbitrary: fc
      .subarray(["<twice>", "<once>", "other", "nope", "<twice>"], { minLength: 1 })
      .map((projects) => ({ method: "GET", path: `/a/access/?project=${projects.join("&project=")}` })),
  },
);

const sender = mostly(fc.constantFrom("admin", "admin", "admin", "alice"), "nobody");

/** Returns an answer without what differs between two servers: revisions, which are hashes of times and authors. */
function comparable({ status, type, text, body }: Answer): object {
  if (body === undefined) return { status, type, text };
  const decoded: unknown = JSON.parse(JSON.stringify(body), (name, value: unknown) => {
    if (name === "revision") return typeof value;
    return name === "owner_of" && Array.isArray(value) ? value.toSorted() : value;
  });
  return { status, type, decoded };
}

describeWithGerrit("The sandbox and a real server", (gerrit) => {
  let sandbox: Sandbox;
  let passwords: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const { password } = await gerrit().createAccount("alice");
    const admin = gerrit().admin.password;
    passwords = { admin, alice: password, nobody: "wrong" };
    const uuids = {
      Developers: await gerrit().createGroup("Developers"),
      Testers: await gerrit().createGroup("Testers"),
    };
    const made = Object.entries(uuids).map(([name, uuid]) => ({ name, uuid }));
    await gerrit().createProject("other");
    sandbox = await startSandbox({
      world: World.parse({
        accounts: [
          { username: "admin", name: "admin", secret: admin, rights: "admin" },
          { username: "alice", name: "alice", secret: password, rights: "member" },
        ],
        review: {
          groups: [...ReviewState.parse({}).groups, ...made],
          projects: { "All-Projects": { description: "Access inherited by all other projects." }, other: {} },
        },
      }),
    });
  });
  afterAll(() => sandbox?.close());

  test("give the same answers to the same requests, in status, text and body, and make the same commits", async () => {
    const standIn = new Gerrit(sandbox.services.review.url, "", sandbox.close);
    let runs = 0;

    async function compare(requests: readonly (readonly [string, { method: string; path: string; raw?: string }])[]) {
      const project = `run ${++runs}+/ü`;
      const encoded = encodeURIComponent(project);
      await gerrit().createProject(project);
      sandbox.change(({ review }) => {
        review.projects[project] = { state: "ACTIVE", access: {}, commits: [] };
      });
      const before = (await gerrit().configLog(project)).length;
      for (const [username, { method, path, ...sent }] of requests) {
        const address = path.replaceAll("<once>", encoded).replaceAll("<twice>", encodeURIComponent(encoded));
        const options = { as: { username, password: passwords[username] ?? "" }, ...sent };
        const real = await gerrit().call(method, address, options);
        expect(comparable(await standIn.call(method, address, options))).toEqual(comparable(real));
      }
      const commits = (await gerrit().configLog(project)).slice(0, -before).map(({ message }) => message);
      const ours = sandbox.state().review.projects[project]?.commits.map(({ message }) => message);
      expect(ours).toEqual(commits.reverse());
    }

    const sequences = fc.array(fc.tuple(sender, request), { minLength: 4, maxLength: 12 });
    await fc.assert(fc.asyncProperty(sequences, compare), lawRuns(100));
  });
});
