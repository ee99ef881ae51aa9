import { Lexer } from "marked";
import { SaxesParser } from "saxes";
import { describe, expect, test, vi } from "vitest";
import type { Metadata } from "../../../../src/core/resource.ts";
import type { World } from "../../../../src/sandbox/world.ts";
import { type Lab, openLab, problemsOf } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";

function page(spec: Readonly<Record<string, unknown>>, metadata: Partial<Metadata> = {}): string {
  return document("WikiPage", { id: "48213", ...spec }, metadata);
}

function pageOf({ sandbox }: Lab, id = "48213") {
  const found = sandbox.state().wiki.pages[id];
  if (found === undefined) throw new Error(`The world has no page ${id}.`);
  return found;
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

/** The result of someone editing the page. */
function edit(body: string, by = "jdoe", id = "48213") {
  return ({ wiki }: World) => {
    const edited = wiki.pages[id];
    if (edited === undefined) throw new Error(`The world has no page ${id}.`);
    edited.body = body;
    edited.versions.push({ number: (edited.versions.at(-1)?.number ?? 0) + 1, message: "", by, minorEdit: false });
  };
}

const markdown = (text: string) => ({ body: { markdown: text } });
const storage = (text: string) => ({ body: { storage: text } });

describe("WikiPage", () => {
  test("writes a body: one read, one write one version later, one read to verify", async () => {
    await using lab = await openLab();
    const report = await lab.apply(page(markdown("# Dates\n\nSoon.")));
    expect(report.outcomes).toEqual([{ address: "wiki/WikiPage/48213", result: "applied" }]);
    expect(lab.asked()).toEqual(["getPage", "updatePage", "getPage"]);
    expect(pageOf(lab)).toMatchObject({ title: "Release calendar", space: "ENG", ancestors: ["48100"] });
    expect(pageOf(lab).body).toContain("<h1>Dates</h1>");
    expect(pageOf(lab).versions.at(-1)).toMatchObject({ number: 3, by: "admin", minorEdit: true });
  });

  test("budget: one read and one write per page, and no write if nothing differs", async () => {
    await using lab = await openLab();
    const all = ["48100", "48213", "48377"].map((id) => page({ id, ...markdown(`Page ${id}`) })).join("");
    await lab.apply(all);
    expect(lab.asked().toSorted()).toEqual([...Array(6).fill("getPage"), ...Array(3).fill("updatePage")]);
    expect((await lab.plan(all)).inSync).toHaveLength(3);
    expect(lab.asked()).toEqual(Array(3).fill("getPage"));
  });

  test.each([
    [
      "Markdown",
      markdown(
        '# Ü & "x"\n\n| a | b |\n|---|---|\n| `c` | <https://example.com/?a=1&b=2> |\n\n```bash\necho "]]>"\n```\n',
      ),
    ],
    ["storage markup", storage("<p>caf&eacute; &nbsp; &#8594;</p><p></p><hr/><p class='a' title='b'>x<br/></p>")],
    ["a link", storage('<p><ac:link><ri:page ri:content-title="How to release"/></ac:link></p>')],
    [
      "a macro",
      storage(
        '<ac:structured-macro ac:name="info"><ac:rich-text-body><p>i</p></ac:rich-text-body></ac:structured-macro>',
      ),
    ],
  ])("%s that the server rewrites is in sync afterwards", async (_what, body) => {
    await using lab = await openLab();
    expect(results(await lab.apply(page(body)))).toEqual(["applied"]);
    expect((await lab.plan(page(body))).changes).toEqual([]);
  });

  test("rewritten markup is in sync even if nothing shows that we wrote it", async () => {
    await using lab = await openLab();
    const body = storage('<p>caf&eacute;</p><p><ac:link><ri:page ri:content-title="How to release"/></ac:link></p>');
    await lab.apply(page(body));
    lab.sandbox.change(({ wiki }) => {
      const version = wiki.pages["48213"]?.versions.at(-1);
      if (version) version.message = "";
    });
    expect((await lab.plan(page(body))).changes).toEqual([]);
  });

  test("an inline comment of a reader is no difference, and survives a new title", async () => {
    await using lab = await openLab();
    const body = storage("<p>Lorem Ipsum etc.</p>");
    await lab.apply(page(body));
    const commented =
      '<p>Lorem <ac:inline-comment-marker ac:ref="e8e647e6-b612-4123-b1bb-3f5fd6d89c10">Ipsum</ac:inline-comment-marker> etc.</p>';
    lab.sandbox.change(edit(commented));
    expect((await lab.plan(page(body))).changes).toEqual([]);
    expect(results(await lab.apply(page({ title: "Dates", ...body })))).toEqual(["applied"]);
    expect(pageOf(lab)).toMatchObject({ title: "Dates", body: commented });
  });

  test("a new title leaves a body alone that the server rewrote beyond recognition, and it stays in sync", async () => {
    await using lab = await openLab();
    const body = storage("<p>(tick)</p>");
    const rewritten = '<p><ac:emoticon ac:name="tick" /></p>';
    await lab.apply(page(body));
    lab.sandbox.change(({ wiki }) => {
      const live = wiki.pages["48213"];
      if (live) live.body = rewritten;
    });
    const renamed = page({ title: "Dates", ...body });
    expect(results(await lab.apply(renamed))).toEqual(["applied"]);
    expect(pageOf(lab)).toMatchObject({ title: "Dates", body: rewritten });
    expect((await lab.plan(renamed)).changes).toEqual([]);
  });

  test("takes its body from a file beside the manifest", async () => {
    await using lab = await openLab();
    const files = { "manifests/pages/dates.md": "# From a file" };
    const now = page({ body: { file: "pages/dates.md" } });
    expect(results(await lab.apply({ now, files }))).toEqual(["applied"]);
    expect(pageOf(lab).body).toContain("<h1>From a file</h1>");
    expect((await lab.plan({ now, files })).changes).toEqual([]);
    expect(await problemsOf(lab.plan(now))).toMatchObject([{ code: "SP1017" }]);
  });

  test.each([
    { file: "page.html", text: "<p>Read once.</p>", renderings: 0 },
    { file: "page.md", text: "Rendered once: [elsewhere](https://example.com).", renderings: 1 },
    { file: "linked.md", text: "Rendered once, and [linked](linked.md) in the next one.", renderings: 2 },
  ])("$file is rendered $renderings times for a plan, and parsed once; so is the live body", async (one) => {
    const { file, text, renderings } = one;
    await using lab = await openLab();
    lab.sandbox.change(edit(`<p>Live for ${file}</p>`));
    using rendered = vi.spyOn(Lexer, "lex");
    using parsed = vi.spyOn(SaxesParser.prototype, "close");
    const plan = await lab.plan({ now: page({ body: { file } }), files: { [`manifests/${file}`]: text } });
    expect(plan.calls.map(({ operation }) => operation)).toEqual(["updatePage"]);
    expect(rendered).toHaveBeenCalledTimes(renderings);
    // Each rendering is one text, and the live body is another.
    expect(parsed).toHaveBeenCalledTimes(Math.max(renderings, 1) + 1);
  });

  test("writes fields that are not stated, or ignored, as they were read", async () => {
    await using lab = await openLab();
    const before = pageOf(lab);
    expect(results(await lab.apply(page({ title: "Dates" })))).toEqual(["applied"]);
    expect(pageOf(lab)).toEqual({ ...before, title: "Dates", versions: expect.anything() });
    const report = await lab.apply(page({ title: "Calendar", ...markdown("new") }, { ignore: ["body"] }));
    expect(report.plan.ignored.map(({ field }) => field)).toEqual(["body"]);
    expect(pageOf(lab)).toEqual({ ...before, title: "Calendar", versions: expect.anything() });
  });

  test("reports which side changed and, if someone edited the page, who", async () => {
    await using lab = await openLab();
    const [first, second] = [page(markdown("first")), page(markdown("second"))];
    await lab.apply(first);
    const pending = await lab.plan({ now: second, base: first });
    expect(pending.changes).toMatchObject([{ action: "update", verdict: "pending" }]);
    expect(pending.changes[0]).not.toHaveProperty("events");
    lab.sandbox.change(edit("<p>theirs</p>"));
    const drift = await lab.plan({ now: first, base: first });
    expect(drift.changes).toMatchObject([
      { verdict: "drift", events: [{ what: "edited", by: "jdoe", version: 4 }], fields: [{ path: ["body"] }] },
    ]);
    expect((await lab.plan({ now: second, base: first })).changes).toMatchObject([{ verdict: "conflict" }]);
    expect(results(await lab.apply({ now: first, base: first }))).toEqual(["applied"]);
  });

  test("does not overwrite an edit between plan and write, which reading again reveals", async () => {
    await using lab = await openLab();
    const manifest = page(markdown("ours"));
    const report = await lab.apply(manifest, () => lab.sandbox.change(edit("<p>theirs</p>")));
    expect(report.outcomes).toMatchObject([
      { result: "failed", problem: { code: "SP3006", message: expect.stringContaining("Current version is: 3") } },
    ]);
    expect(lab.asked()).toEqual(["getPage", "updatePage", "getPage", "getPage"]);
    expect(pageOf(lab).body).toBe("<p>theirs</p>");
    expect((await lab.plan({ now: manifest, base: manifest })).changes).toMatchObject([
      { verdict: "drift", events: [{ by: "jdoe", version: 3 }] },
    ]);
  });

  test("a write that finds its own result, one version later, counts as applied", async () => {
    await using lab = await openLab();
    const report = await lab.apply(page(markdown("ours")), () => lab.sandbox.change(edit("<p>ours</p>\n", "admin")));
    expect(report.calls).toMatchObject([{ result: "failed", problem: { code: "SP3006" } }]);
    expect(results(report)).toEqual(["applied"]);
  });

  test("a page that does not exist needs a person", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(page({ id: "999", ...markdown("x") }));
    expect(plan.changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("Create the page") }]);
    expect(plan.calls).toEqual([]);
  });

  test("a page in another space needs a person, and nothing is written", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(page({ space: "OPS", ...markdown("x") }));
    expect(plan.changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("Move the page") }]);
    expect(plan.calls).toEqual([]);
  });

  test("cannot be absent, and is forgotten when it leaves the manifests", async () => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(page({}, { state: "absent" })))).toMatchObject([{ code: "SP1002" }]);
    expect((await lab.plan({ now: "", base: page(markdown("x")) })).changes).toEqual([]);
    expect(lab.asked()).toEqual([]);
  });

  test("a service that rejects the credentials makes its pages unknown", async () => {
    await using lab = await openLab({ as: { username: "admin", secret: "wrong" } });
    const plan = await lab.plan(page(markdown("x")));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
    expect(plan.calls).toEqual([]);
  });

  test("an account without write access gets a failed outcome that names the missing permission", async () => {
    await using lab = await openLab({ as: { username: "auditor", secret: "auditor-secret" } });
    const report = await lab.apply(page(markdown("x")));
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
    expect(pageOf(lab).versions).toHaveLength(2);
  });

  test("two pages of one space with the same title in any case are refused, before any read if both name the space", async () => {
    await using lab = await openLab();
    const two = (space?: string) => page({ id: "48100", title: "Dates", space }) + page({ title: "dates" });
    const rivals = [
      { code: "SP1016", message: expect.stringContaining('the title "dates" in ENG'), other: { line: 2 } },
    ];
    expect(await problemsOf(lab.plan(two()))).toMatchObject(rivals);
    expect(await problemsOf(lab.plan(two("ENG")))).toMatchObject(rivals);
    lab.asked();
    const named = page({ id: "48100", title: "Dates", space: "ENG" }) + page({ title: "Dates", space: "ENG" });
    expect(await problemsOf(lab.plan(named))).toMatchObject(rivals);
    expect(lab.asked()).toEqual([]);
    lab.sandbox.change(({ wiki }) => {
      const moved = wiki.pages["48100"];
      if (moved) moved.space = "OPS";
    });
    expect((await lab.plan(two())).calls).toHaveLength(2);
  });

  test("takes a title only once the page that has it has another one", async () => {
    await using lab = await openLab();
    const chain =
      page({ id: "48100", title: "How to release" }) +
      page({ title: "Engineering", ...markdown("x") }) +
      page({ id: "48377", title: "Releasing" });
    expect((await lab.plan(chain)).changes).toMatchObject([
      { key: "48100", dependsOn: ["wiki/WikiPage/48377"], phase: 1 },
      { key: "48213", dependsOn: ["wiki/WikiPage/48100"], phase: 2 },
      { key: "48377", dependsOn: [], phase: 0 },
    ]);
    expect(results(await lab.apply(chain))).toEqual(["applied", "applied", "applied"]);
  });

  test("a person must rename one of two pages that exchange their titles, which the wiki refuses in any order", async () => {
    await using lab = await openLab();
    const exchanged =
      page({ id: "48100", title: "release calendar" }) +
      page({ title: "Engineering" }) +
      page({ id: "48377", title: "Releasing" });
    const plan = await lab.plan(exchanged);
    const waits = 'still has the title "release calendar" in ENG, and waits in turn: rename one of them manually';
    expect(plan.changes).toMatchObject([
      { action: "check", instruction: expect.stringContaining(`wiki/WikiPage/48213 ${waits}`) },
      {
        action: "check",
        instruction: expect.stringContaining('wiki/WikiPage/48100 still has the title "engineering"'),
      },
      { action: "update" },
    ]);
    lab.sandbox.change(({ wiki }) => {
      const renamed = wiki.pages["48213"];
      if (renamed) renamed.title = "For now";
    });
    expect(results(await lab.apply(exchanged))).toEqual(["applied", "applied", "applied"]);
  });

  test("accepts special characters in titles, and a title in use is a failed outcome in the service's words", async () => {
    await using lab = await openLab();
    const title = `ü,\\"';/&=% <b> + x`;
    expect(results(await lab.apply(page({ title })))).toEqual(["applied"]);
    expect((await lab.plan(page({ title }))).changes).toEqual([]);
    expect((await lab.apply(page({ title: "how to release" }))).outcomes).toMatchObject([
      { result: "failed", problem: { code: "SP3007", message: expect.stringContaining("already exists") } },
    ]);
  });
});
