import { Marked } from "marked";
import { expect, test } from "vitest";
import { type ProblemCode, ProblemError } from "../../src/core/problem.ts";
import type { PublishingDoor } from "../../src/core/run/publishing.ts";
import { commentPublisher } from "../../src/publishers/comment.ts";
import { change, emptyPlan, fullPlan } from "../reports/fixture.ts";
import { hostilePlan } from "../support/hostile-plan.ts";
import { problemsOf } from "../support/lab.ts";
import { facts, made, openPress, type Press } from "./press.ts";

const comment = { as: "comment" } as const;
const calm = { ...fullPlan, changes: [], unknown: [] };

function comments({ desk }: Press) {
  const [website] = desk.sandbox.state().hosting.repositories;
  return website?.pulls.find(({ number }) => number === 8)?.comments ?? [];
}

test("one comment is written, left alone while it is current, and then replaced", async () => {
  await using press = await openPress();
  expect(await press.publish(comment, made(fullPlan))).toMatchObject({ writes: ["createIssueComment"], problems: [] });
  const [, , first] = comments(press);
  expect(first?.body).toMatch(/^<!-- setpoint: plan 2027-01-14T02:00:00.000Z -->\n/);
  expect(first?.body).toContain(
    "Asked for by this change: 4 resources. Drifted before it: 2 resources. Changed on both sides: 1 resource.",
  );
  const later = "2027-01-15T02:00:00.000Z";
  expect(await press.publish(comment, made(fullPlan, later), { at: later })).toMatchObject({
    writes: [],
    problems: [],
  });
  expect((await press.publish(comment, made(calm, later), { at: later })).writes).toEqual(["updateIssueComment"]);
  expect(comments(press)).toHaveLength(3);
  expect(comments(press)[2]?.body).toContain(later);
});

test("what is left of a quota is no news, unless it does not suffice", async () => {
  await using press = await openPress();
  const leaving = (remaining: number) => {
    const quota = { limit: 5000, remaining, resets: "2027-01-14T03:00:00.000Z", after: remaining - 10 };
    return made({ ...fullPlan, forecast: { ...fullPlan.forecast, services: { hosting: { requests: 10, quota } } } });
  };
  const writes = async (remaining: number) => (await press.publish(comment, leaving(remaining))).writes;
  expect(await writes(4000)).toEqual(["createIssueComment"]);
  expect(await writes(3900)).toEqual([]);
  expect(await writes(9)).toEqual(["updateIssueComment"]);
  expect(comments(press)[2]?.body).toContain("The quota is not enough for about 10 requests");
});

test("a comment that someone has edited is restored", async () => {
  await using press = await openPress();
  await press.publish(comment, made(fullPlan));
  press.desk.sandbox.change(({ hosting }) => {
    const pull = hosting.repositories[0]?.pulls[1];
    const own = pull?.comments[2];
    if (own !== undefined) own.body = own.body.replace("rotates a secret", "");
  });
  expect((await press.publish(comment, made(fullPlan))).writes).toEqual(["updateIssueComment"]);
  expect(comments(press)[2]?.body).toContain("rotates a secret");
});

test("of two comments by runs of the same moment, one is kept up to date and the other one says so", async () => {
  await using press = await openPress();
  await press.publish(comment, made(fullPlan));
  press.desk.sandbox.change(({ hosting }) => {
    const pull = hosting.repositories[0]?.pulls[1];
    const own = pull?.comments[2];
    if (own !== undefined) pull?.comments.push({ ...own, id: 900 });
  });
  expect((await press.publish(comment, made(calm))).writes).toEqual(["updateIssueComment", "updateIssueComment"]);
  expect(comments(press).map(({ id, body }) => [id, /^(<!--|This report)/.exec(body)?.[0]])).toEqual([
    [expect.any(Number), undefined],
    [expect.any(Number), undefined],
    [expect.any(Number), "<!--"],
    [900, "This report"],
  ]);
  expect((await press.publish(comment, made(calm))).writes).toEqual([]);
});

test("a marker in someone else's comment is ignored, and so is one that is not at the start of the comment", async () => {
  await using press = await openPress();
  await press.publish(comment, made(fullPlan));
  const body = comments(press)[2]?.body ?? "";
  press.desk.sandbox.change(({ hosting }) => {
    const pull = hosting.repositories[0]?.pulls[1];
    const own = pull?.comments[2];
    if (own === undefined || pull === undefined) return;
    own.user = "jdoe";
    pull.comments.push({ ...own, id: 900, user: "admin", body: `> quoted\n${body}` });
  });
  expect((await press.publish(comment, made(fullPlan))).writes).toEqual(["createIssueComment"]);
  expect(comments(press).map(({ user }) => user)).toEqual(["admin", "jdoe", "jdoe", "admin", "admin"]);
});

test("two workspaces each have their own comment, and so do plan and drift", async () => {
  await using press = await openPress();
  for (const edition of [{}, { name: "a--b" }, { name: "-->" }, { command: "drift" as const }])
    expect((await press.publish(comment, made(fullPlan), edition)).writes).toEqual(["createIssueComment"]);
  for (const edition of [{}, { name: "a--b" }, { name: "-->" }, { command: "drift" as const }])
    expect((await press.publish(comment, made(fullPlan), edition)).writes).toEqual([]);
  const named = comments(press).map(({ body }) => /^<!--.*\n(Workspace .*)\. Asked for by/.exec(body)?.[1]);
  expect(named.slice(2)).toEqual([undefined, "Workspace ` a--b `", "Workspace ` --> `", undefined]);
});

test("our comment is found on the last of many pages", async () => {
  await using press = await openPress();
  press.desk.sandbox.change(({ hosting }) => {
    const pull = hosting.repositories[0]?.pulls[1];
    for (let id = 1000; id < 1250; id++)
      pull?.comments.push({ id, user: "jdoe", body: `${id}`, created_at: "2026-02-11T08:00:00Z" });
  });
  await press.publish(comment, made(fullPlan));
  const { reads, writes } = await press.publish(comment, made(fullPlan));
  expect([reads.filter((name) => name === "listIssueComments").length, writes]).toEqual([3, []]);
});

test("errors that prevented a plan are in the comment", async () => {
  await using press = await openPress();
  const place = { file: "manifests/all.yaml", line: 4, column: 3 };
  const problems = [{ code: "SP1004", message: 'BranchLock has no field "projekt".', place }] as const;
  await press.publish(comment, { is: "wrong", problems });
  expect(comments(press)[2]?.body).toContain(
    '### setpoint plan: 1 problem.\n\n- ` manifests/all.yaml:4:3 ` · SP1004 ` BranchLock has no field "projekt". `',
  );
  await press.publish(comment, { is: "wrong", problems: [] });
  expect(comments(press)[2]?.body).toMatch(/ -->\n\n\n### setpoint plan: ended early\.$/);
});

test("a comment fits however long the report, and shows no markup from names", async () => {
  await using press = await openPress();
  const hostile = hostilePlan();
  const long = { ...hostile, refusals: Array.from({ length: 60 }, () => hostile.refusals).flat() };
  for (const plan of [hostile, long]) {
    expect(await press.publish(comment, made(plan), { name: "<script>|`--> @everyone" })).toMatchObject({
      problems: [],
    });
    const body = comments(press)[2]?.body ?? "";
    expect(body.length).toBeLessThanOrEqual(65_536);
    const html = new Marked({ gfm: true }).parse(body, { async: false });
    const tags = new Set([...html.matchAll(/<(\/?\w+|!--)/g)].map(([, tag = ""]) => tag.replace("/", "")));
    for (const tag of ["script", "img", "a", "h1", "b"]) expect([tag, tags.has(tag)]).toEqual([tag, false]);
    expect(html.split("<!--")).toHaveLength(2);
  }
});

test("a plan with many changes fills the comment, with details of the first ones", async () => {
  await using press = await openPress();
  const fields = [{ path: ["reason"], live: "Frozen", desired: "Frozen for 2.4", verdict: "pending" } as const];
  const lock = { service: "review", kind: "BranchLock", action: "update", fields } as const;
  const changes = Array.from({ length: 900 }, (_none, index) => change({ ...lock, key: `platform/core:${index}` }));
  await press.publish(comment, made({ ...emptyPlan, base: "origin/main", changes }));
  const body = comments(press)[2]?.body ?? "";
  expect(body.length).toBeGreaterThan(60_000);
  expect(body.length).toBeLessThanOrEqual(65_536);
  expect(body.split("<details>").length).toBeGreaterThan(50);
  expect(body).toMatch(/The details of \d+ are left out\./);
});

test("a secret is replaced by dots", async () => {
  await using press = await openPress();
  await press.publish(comment, made(fullPlan));
  expect(comments(press)[2]?.body).toContain("•••");
  expect(comments(press)[2]?.body).not.toContain("BOT_PASSWORD");
});

test("an account that may not comment is told which permission it lacks", async () => {
  await using press = await openPress({ as: { username: "auditor", secret: "auditor-secret" } });
  expect((await press.publish(comment, made(fullPlan))).problems).toMatchObject([
    {
      code: "SP3004",
      message: expect.stringContaining("Not published as comment. "),
      hint: expect.stringContaining("pull-requests: write"),
    },
  ]);
});

const edition = { command: "plan", name: "", prefix: "", at: "2027-01-14T02:00:00.000Z", facts } as const;

/** A door for a token that may not ask who it is, with the operations and the comments that were sent. */
function doorOf(
  login: string,
  { type = "Bot", code = "SP3004" as ProblemCode, before = [] as readonly string[] } = {},
) {
  const [sent, bodies]: [string[], string[]] = [[], [...before]];
  const door: PublishingDoor = {
    services: ["hosting"],
    username: undefined,
    isDeclared: async () => false,
    async call(operation, args) {
      sent.push(operation);
      if (operation === "getUser") throw new ProblemError({ code, message: "Not by an integration." });
      if (operation === "createIssueComment") bodies.push(String(args.body));
      return bodies.map((body, id) => ({ id, body, user: { login, type } }));
    },
  };
  return { door, sent, bodies };
}

test("an app's token, which may not ask who it is either, adds no second comment and is told how to find the first", async () => {
  const { door, bodies } = doorOf("acme-plans[bot]");
  const publish = (author: { author?: string }) =>
    commentPublisher({ ...edition, facts: { ...facts, ...author } }).publish(door, made(fullPlan));
  await publish({});
  expect(await problemsOf(publish({}))).toMatchObject([{ hint: expect.stringContaining("author=acme-plans[bot]") }]);
  await publish({ author: "acme-plans[bot]" });
  expect(bodies).toHaveLength(1);
  await publish({ author: "github-actions[bot]" });
  expect(bodies).toHaveLength(2);
});

test("a workflow's token, which may not ask who it is, finds its own comment", async () => {
  const { door, sent } = doorOf("github-actions[bot]");
  const publisher = commentPublisher(edition);
  for (let run = 0; run < 2; run++) await publisher.publish(door, made(fullPlan));
  expect(sent).toEqual(["getUser", "listIssueComments", "createIssueComment", "getUser", "listIssueComments"]);
});

test.each([
  ["a person's comment with the marker", { type: "User", before: ["<!-- setpoint: plan 2027-01-14 -->\n"] }],
  ["another bot's comment without it", { before: ["Coverage: 90 %"] }],
])("%s does not keep a workflow's token from commenting", async (_what, found) => {
  const { door, bodies } = doorOf("jdoe", found);
  await commentPublisher(edition).publish(door, made(fullPlan));
  expect(bodies).toHaveLength(2);
});

test("an account that cannot be asked for adds no comment, and a run without a pull request says what is missing", async () => {
  const { door, sent } = doorOf("jdoe", { code: "SP3101" });
  expect(await problemsOf(commentPublisher(edition).publish(door, made(fullPlan)))).toMatchObject([{ code: "SP3101" }]);
  expect(sent).toEqual(["getUser"]);
  const { repository } = facts;
  expect(() => commentPublisher({ ...edition, facts: { repository } })).toThrow("which pull request");
});
