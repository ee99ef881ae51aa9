import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isObject } from "../../src/core/text/json.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { World } from "../../src/sandbox/world.ts";
import { describeWithGerrit } from "./support/describe.ts";
import { type Account, type Answer, Gerrit } from "./support/gerrit.ts";
import { lawRuns } from "./support/law-runs.ts";

const project = "tools/a b";
const files = { "m.yaml": "one\ntwo\nthree\n", "src/n.c": "x\n" };

interface Request {
  readonly method: "GET" | "POST";
  /** `<id>`, `<key>` and `<triplet>` stand for the change of the run in each of its forms. */
  readonly path: string;
  readonly body?: object;
  readonly raw?: string;
}

function get(path: string): Request {
  return { method: "GET", path };
}

const form = fc.constantFrom("<id>", "<key>", "<triplet>", "<full>", "999999", "nope");
const option = fc.constantFrom("CURRENT_REVISION", "ALL_REVISIONS", "ALL_FILES", "CHECK", "MESSAGES", "SUBMITTABLE");
const options = fc
  .oneof(
    { weight: 9, arbitrary: fc.subarray(["DETAILED_LABELS", "DETAILED_ACCOUNTS"]) },
    { weight: 1, arbitrary: fc.constant(["NOPE"]) },
  )
  .chain((more) =>
    fc.uniqueArray(option, { maxLength: 4 }).map((some) => [...some, ...more].map((name) => `o=${name}`)),
  );

const query = fc
  .uniqueArray(
    fc.constantFrom(
      ...[
        "project:<project>",
        "branch:master",
        "branch:refs/heads/x",
        "-branch:y",
        "is:open",
        "is:closed",
        "change:<id>",
      ],
      ...["after:2020-01-01", "before:2020-01-01", "owner:alice", "NOT is:abandoned", "status:new", 'branch:"^[xy]"'],
    ),
    { maxLength: 3 },
  )
  // At most one error: of several errors, the real server names whichever it reaches first.
  .chain((terms) => fc.constantFrom("", "", "", "bogus:1", "is:nope", "after:soon").map((wrong) => [...terms, wrong]))
  .map((terms) => `change:<id> ${terms.join(" ")}`.trim());

const place = fc.oneof(
  fc.record({ line: fc.constantFrom(1, 2, 0, -1, 99) }),
  fc.record({
    range: fc.record({
      start_line: fc.constantFrom(1, 2, 0),
      start_character: fc.constantFrom(0, 1),
      end_line: fc.constantFrom(2, 3, 1),
      end_character: fc.constantFrom(0, 2),
    }),
  }),
  fc.constant({}),
);
const comment = fc
  .tuple(place, fc.record({ message: fc.constantFrom("look", "here", ""), unresolved: fc.boolean() }))
  .map(([where, what]) => ({ ...where, ...what }));
const review = fc.record(
  {
    message: fc.constantFrom("Well\n\ndone ", "", " "),
    tag: fc.constant("setpoint"),
    labels: fc.oneof(
      fc.record({ "Code-Review": fc.integer({ min: -3, max: 3 }) }),
      fc.constant({ "No-Label": 1 }),
      fc.constant({}),
    ),
    // If two paths each have an error, the real server names the one that comes first in its hash map.
    comments: fc.oneof(
      fc.dictionary(
        fc.constantFrom("m.yaml", "m.yaml", "src/n.c", "/PATCHSET_LEVEL", "/COMMIT_MSG", "nofile"),
        fc.array(comment, { minLength: 1, maxLength: 3 }),
        { maxKeys: 1, noNullPrototype: true },
      ),
      fc.constant({ "m.yaml": [{ line: 3, message: "one" }], "src/n.c": [{ message: "two", unresolved: true }] }),
    ),
  },
  { requiredKeys: [] },
);
const move = fc.oneof(
  fc.record({ destination_branch: fc.constantFrom("x", "y", "master", "refs/heads/x", "nope") }),
  fc.constant({}),
);

const request: fc.Arbitrary<Request> = fc.oneof(
  fc.tuple(form, options).map(([id, some]) => get(`/a/changes/${id}${some.length === 0 ? "" : `?${some.join("&")}`}`)),
  form.map((id) => get(`/a/changes/${id}/detail`)),
  query.map((terms) => get(`/a/changes/?q=${encodeURIComponent(terms)}`)),
  fc
    .constantFrom("", "/revisions/current", "/revisions/1", "/revisions/9")
    .map((part) => get(`/a/changes/<id>${part}/comments`)),
  fc.constant(get("/a/changes/<id>/revisions/1/comments/nope")),
  fc.constantFrom("<project>", "nope", "All-Projects").map((name) => get(`/a/projects/${name}/config`)),
  fc.constantFrom("", "&n=1", "&n=2&S=1", "&n=many").map((page) => get(`/a/projects/?d${page}`)),
  { weight: 3, arbitrary: move.map((body): Request => ({ method: "POST", path: "/a/changes/<id>/move", body })) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(review, fc.constantFrom("current", "1", "9"))
      .map(
        ([body, revision]): Request => ({ method: "POST", path: `/a/changes/<id>/revisions/${revision}/review`, body }),
      ),
  },
  fc
    .tuple(fc.constantFrom("move", "revisions/current/review"), fc.constantFrom("{", "[]", '"x"', ""))
    .map(([part, raw]): Request => ({ method: "POST", path: `/a/changes/<id>/${part}`, raw })),
);

/** Members that the stand-in lacks: who should look next, who may be removed, and what else can be done. */
const unmodelled = new Set([
  ...["attention_set", "removed_from_attention_set", "actions", "reviewers", "pending_reviewers", "reviewer_updates"],
  ...["removable_labels", "removable_reviewers", "_more_projects", "meta_rev_id"],
]);
/** Hashes and times, which differ between two servers, and whose vote of several stands for a label. */
const unequal = new Set([
  ...["commit_id", "change_message_id", "current_revision", "created", "updated", "date"],
  ...["disliked", "recommended"],
]);

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable).sort(byText);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !unmodelled.has(name))
      // The server shows this beside a lower vote if it happens to read it first.
      .filter(([name]) => name !== "recommended" || !Object.hasOwn(value, "disliked"))
      .map(([name, inner]) => {
        if (unequal.has(name) || (name === "id" && !String(inner).includes("~"))) return [name, typeof inner];
        // Revisions are keyed by their commits.
        return [/^[0-9a-f]{40}$/.test(name) ? "commit" : name, comparable(inner)];
      }),
  );
}

function byText(a: unknown, b: unknown): number {
  const [first, second] = [JSON.stringify(a), JSON.stringify(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

describeWithGerrit("The sandbox and a real server, asked about changes", (gerrit) => {
  let sandbox: Sandbox;
  let alice: Account;
  let clone: string;
  let accounts: Readonly<Record<string, Pick<Account, "username" | "password">>>;

  beforeAll(async () => {
    alice = await gerrit().createAccount("alice");
    const bob = await gerrit().createAccount("bob");
    accounts = { admin: gerrit().admin, alice, bob };
    await gerrit().createProject(project, ["master", "x", "y"]);
    clone = await gerrit().clone(project, alice);
    sandbox = await startSandbox({
      world: World.parse({
        accounts: [
          { username: "admin", name: "Administrator", secret: gerrit().admin.password, rights: "admin" },
          { username: "alice", name: "alice", secret: alice.password, rights: "member" },
          { username: "bob", name: "bob", secret: bob.password, rights: "member" },
        ],
        review: {
          projects: {
            "All-Projects": { description: "Access inherited by all other projects." },
            "All-Users": { description: "Individual user settings and preferences." },
            [project]: { branches: ["master", "x", "y"] },
          },
        },
      }),
    });
  });
  afterAll(() => sandbox?.close());

  /** Uploads a change, and puts an equal one into the sandbox. */
  async function makeChange(): Promise<{ readonly number: number; readonly changeId: string }> {
    await gerrit().git(clone, alice, "reset", "-q", "--hard", "origin/master");
    const changeId = await gerrit().commit(clone, alice, "A change", files);
    await gerrit().push(clone, alice, "refs/for/master");
    const { body } = await gerrit().call("GET", `/a/changes/${changeId}`);
    const number = isObject(body) ? Number(body._number) : 0;
    const now = new Date().toISOString();
    sandbox.change(({ review }) => {
      const lines = (text: string) => text.split("\n").length - 1;
      const entries = Object.entries(files).map(([path, text]) => [path, { lines: lines(text), size: text.length }]);
      review.changes.push({
        ...{ number, project, branch: "master", changeId, subject: "A change", status: "NEW", owner: "alice" },
        ...{ created: now, updated: now, hashtags: [], votes: [], comments: [] },
        revisions: [{ created: now, files: Object.fromEntries(entries) }],
        messages: [
          {
            author: "alice",
            date: now,
            message: "Uploaded patch set 1.",
            tag: "autogenerated:gerrit:newPatchSet",
            revision: 1,
          },
        ],
      });
    });
    return { number, changeId };
  }

  test("give the same answers to the same requests, in status, text and body", async () => {
    const standIn = new Gerrit(sandbox.services.review.url, "", sandbox.close);

    async function compare(requests: readonly (readonly [string, Request])[]) {
      const { number, changeId } = await makeChange();
      const encoded = encodeURIComponent(project);
      for (const [username, { method, path, ...sent }] of requests) {
        const address = path
          .replaceAll("<id>", String(number))
          .replaceAll(encodeURIComponent("<id>"), String(number))
          .replaceAll("<key>", changeId)
          .replaceAll("<triplet>", `${encoded}~master~${changeId}`)
          .replaceAll("<full>", `${encoded}~${number}`)
          .replaceAll("<project>", encoded)
          .replaceAll(encodeURIComponent("<project>"), encodeURIComponent(`"${project}"`));
        const options = { as: accounts[username] ?? null, ...sent };
        const answers = [await standIn.call(method, address, options), await gerrit().call(method, address, options)];
        const [ours, real] = answers.map(({ status, type, text, body }: Answer) =>
          body === undefined ? { status, type, text } : { status, type, body: comparable(body) },
        );
        expect({ address, username, ...sent, ...ours }).toEqual({ address, username, ...sent, ...real });
      }
    }

    const sender = fc.constantFrom("admin", "admin", "alice", "alice", "bob", "nobody");
    const sequences = fc.array(fc.tuple(sender, request), { minLength: 6, maxLength: 14 });
    // Seldom moved by chance.
    const vetoed = {
      method: "POST",
      path: "/a/changes/<id>/revisions/1/review",
      body: { labels: { "Code-Review": -2 } },
    } as const;
    const moved = { method: "POST", path: "/a/changes/<id>/move", body: { destination_branch: "y" } } as const;
    const votes: [string, Request][] = [
      ["admin", vetoed],
      ["admin", moved],
      ["alice", get("/a/changes/<id>/detail")],
    ];
    await fc.assert(fc.asyncProperty(sequences, compare), { ...lawRuns(60), examples: [[votes]] });
  });

  test("neither moves a change to a branch that has one with the same Change-Id, even if that one is closed", async () => {
    const { number } = await makeChange();
    const picked = { destination: "x" };
    const { body } = await gerrit().call("POST", `/a/changes/${number}/revisions/1/cherrypick`, { body: picked });
    const twin = isObject(body) ? Number(body._number) : 0;
    await gerrit().call("POST", `/a/changes/${twin}/abandon`);
    sandbox.change(({ review }) => {
      const change = review.changes.find((one) => one.number === number);
      if (change !== undefined) review.changes.push({ ...change, number: twin, branch: "x", status: "ABANDONED" });
    });
    const move = { body: { destination_branch: "x" } };
    const [ours, real] = [
      await new Gerrit(sandbox.services.review.url, "", sandbox.close).call("POST", `/a/changes/${number}/move`, move),
      await gerrit().call("POST", `/a/changes/${number}/move`, move),
    ];
    expect(real.status).toBe(409);
    expect([ours.status, ours.text]).toEqual([real.status, real.text]);
  });
});
