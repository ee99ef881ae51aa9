import { beforeAll, expect, test } from "vitest";
import { isObject } from "../../src/core/text/json.ts";
import { publishAll } from "../../src/publishers/publish.ts";
import type { News } from "../../src/publishers/publisher.ts";
import { openWorkspace } from "../../src/setpoint.ts";
import { calmer, manifest, nothing, twoChanges } from "../publishers/review-plan.ts";
import { inMemory } from "../support/in-memory.ts";
import { describeWithGerrit } from "./support/describe.ts";
import type { Account, Gerrit } from "./support/gerrit.ts";

const project = "manifests";

describeWithGerrit("A review on a real server", (gerrit) => {
  let alice: Account;
  let bot: Account;
  let clone: string;
  let start: string;

  beforeAll(async () => {
    alice = await gerrit().createAccount("alice");
    bot = await gerrit().createAccount("setpoint-bot");
    await gerrit().createProject(project);
    clone = await gerrit().clone(project, alice);
    start = (await gerrit().git(clone, alice, "rev-parse", "HEAD")).stdout.trim();
  });

  /** Uploads a change with a manifest; `amended` adds a patch set to it. */
  async function upload(): Promise<{ readonly number: number; readonly amended: () => Promise<void> }> {
    await gerrit().git(clone, alice, "reset", "-q", "--hard", start);
    const id = await gerrit().commit(clone, alice, "Freeze", { "manifests/all.yaml": manifest });
    expect((await gerrit().push(clone, alice, "refs/for/master")).code).toBe(0);
    const { body } = await gerrit().call("GET", `/a/changes/${id}`);
    return {
      number: isObject(body) ? Number(body._number) : 0,
      async amended() {
        await gerrit().git(clone, alice, "reset", "-q", "--hard", start);
        const second = { "manifests/all.yaml": `${manifest}# more\n` };
        await gerrit().commit(clone, alice, "Freeze", second);
        await gerrit().git(clone, alice, "commit", "-q", "--amend", "-m", `Freeze\n\nChange-Id: ${id}`);
        expect((await gerrit().push(clone, alice, "refs/for/master")).code).toBe(0);
      },
    };
  }

  async function publish(change: number, news: News, revision?: string) {
    const workspace = openWorkspace({
      files: inMemory({
        "setpoint.yaml": `version: 1\nservices: { review: { type: gerrit, url: "${gerrit().url}", limits: { timeout: 2m } } }\n`,
      }),
      env: {
        SETPOINT_REVIEW_URL: gerrit().url,
        SETPOINT_REVIEW_USERNAME: bot.username,
        SETPOINT_REVIEW_PASSWORD: bot.password,
      },
    });
    const edition = { command: "plan", name: "", prefix: "manifests/", at: "2027-01-14T02:00:00.000Z" } as const;
    const facts = { change, revision, link: `https://ci.example/${Math.random()}` };
    return publishAll([{ as: "review" }], news, {
      open: workspace.publishing,
      edition: { ...edition, facts },
    });
  }

  test("posts once, replaces what changes, and leaves nothing unresolved", async () => {
    const { number, amended } = await upload();
    const made = (plan: typeof nothing): News => ({ is: "made", subject: { plan } });

    expect(await publish(number, made(twoChanges))).toEqual([]);
    const first = await shown(gerrit(), number);
    expect(first).toEqual({
      unresolved: 1,
      comments: [
        "1 4:2-8 ` reason `: ` Frozen ` → ` Frozen for 2.4 GA `",
        "1 1 update ` review/BranchLock/platform/core:release-2.4 `: pending, narrows access (unresolved)",
      ].toSorted(),
      messages: [
        "Uploaded patch set 1.",
        [
          "Patch Set 1:",
          "(2 comments)",
          "setpoint plan: 1 pending, 1 drifted before.",
          "Asked for by this change: 1 resource. Drifted before it: 1 resource.",
          "- ` manifests/wiki.yaml:2 ` update ` wiki/WikiPage/48213 `: drift",
          "https://ci.example/…",
        ].join("\n\n"),
      ],
    });

    expect(await publish(number, made(twoChanges))).toEqual([]);
    expect(await shown(gerrit(), number)).toEqual(first);

    expect(await publish(number, made(calmer))).toEqual([]);
    const second = await shown(gerrit(), number);
    expect(second.unresolved).toBe(0);
    expect(second.comments).toEqual(
      [
        ...first.comments,
        "1 4:2-8 ` reason `: ` Frozen ` → ` Frozen until Monday `",
        "1 1 update ` review/BranchLock/platform/core:release-2.4 `: pending",
        "1 4:2-8 No longer so. (answer)",
        "1 1 No longer so. (answer)",
      ].toSorted(),
    );
    expect(await publish(number, made(calmer))).toEqual([]);
    expect(await shown(gerrit(), number)).toEqual(second);

    expect(await publish(number, made(twoChanges))).toEqual([]);
    expect((await shown(gerrit(), number)).unresolved).toBe(1);
    await amended();
    expect(await publish(number, made(twoChanges))).toEqual([]);
    const third = await shown(gerrit(), number);
    expect(third.unresolved).toBe(1);
    expect(third.comments.filter((text) => text.startsWith("2 "))).toEqual(
      first.comments.map((text) => text.replace("1", "2")),
    );
    expect(third.comments).toContain("1 1 There is a newer patch set. (answer)");
    expect(await publish(number, made(twoChanges), "2")).toEqual([]);
    expect(await shown(gerrit(), number)).toEqual(third);
    expect(await publish(number, made(nothing))).toEqual([]);
    expect((await shown(gerrit(), number)).unresolved).toBe(0);
  });

  test("a comment on a file that is not in the patch set makes the server refuse the whole review", async () => {
    const { number } = await upload();
    const before = await shown(gerrit(), number);
    const { status, text } = await gerrit().call("POST", `/a/changes/${number}/revisions/1/review`, {
      as: bot,
      body: { message: "x", comments: { "wiki.yaml": [{ line: 2, message: "y" }] } },
    });
    expect([status, text]).toEqual([400, expect.stringContaining("not found in revision")]);
    expect(await shown(gerrit(), number)).toEqual(before);
  });
});

/** Returns what people see of a change. */
async function shown(gerrit: Gerrit, number: number) {
  const comments = await gerrit.call("GET", `/a/changes/${number}/comments`);
  const detail = await gerrit.call("GET", `/a/changes/${number}/detail`);
  const all = isObject(comments.body) ? listOf(comments.body["manifests/all.yaml"]) : [];
  const { messages, unresolved_comment_count: unresolved } = isObject(detail.body) ? detail.body : {};
  return {
    unresolved,
    comments: all.map(commentLine).toSorted(),
    messages: listOf(messages).map(({ message }) => String(message).replace(/0\.\d+$/, "…")),
  };
}

/** Returns the patch set, the place and the text of a comment. */
function commentLine({ patch_set, line, range, message, unresolved, in_reply_to }: Readonly<Record<string, unknown>>) {
  const { start_character: from, end_character: to } = isObject(range) ? range : {};
  const place = range === undefined ? line : `${line}:${from}-${to}`;
  const marks = `${unresolved === true ? " (unresolved)" : ""}${in_reply_to === undefined ? "" : " (answer)"}`;
  return `${patch_set} ${place} ${message}${marks}`;
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
