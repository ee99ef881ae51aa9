import { Lexer } from "marked";
import { describe, expect, test, vi } from "vitest";
import { allServices } from "../../../../src/clients/find-service.ts";
import { ProblemError } from "../../../../src/core/problem.ts";
import { load } from "../../../../src/manifests/load.ts";
import { kinds } from "../../../../src/reconcilers/registry.ts";
import { type LinkedPage, linkedMarkup } from "../../../../src/reconcilers/wiki/wiki-page/page-links.ts";
import { canonicalMarkup, findMistake } from "../../../../src/reconcilers/wiki/wiki-page/storage-format.ts";
import { inMemory } from "../../../support/in-memory.ts";
import { openLab, problemsOf } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";

const page = (id: string, file: string) => document("WikiPage", { id, body: { file } });
const link = (id: string, label: string, anchor = "") =>
  `<ac:link${anchor && ` ac:anchor="${anchor}"`}><ri:content-entity ri:content-id="${id}"/><ac:link-body>${label}</ac:link-body></ac:link>`;

/** The pages to which a text can link. */
const pages: Readonly<Record<string, readonly LinkedPage[]>> = {
  "docs/b.md": [
    { id: "2", body: { file: "docs/b.md", markdown: "# Über `it` & *us*\n\n## Dates\n\n## Dates\n\nSet\n===" } },
  ],
  "docs/my page+1.md": [{ id: "3", body: { markdown: "" } }],
  "c.md": [{ id: "4", body: { markdown: "# One" } }],
  "docs/two.md": [{ id: "5" }, { id: "6" }],
  "docs/e.md": [
    { id: "8", body: { markdown: "# Step 1\n# Step\n# Step\n# Step!\n# H<sub>2</sub>O <!-- omit in toc -->\n# m²" } },
  ],
  "docs/d.html": [{ id: "7", body: {} }],
};

function rendered(markdown: string, file: string | undefined = "docs/a.md"): string | undefined {
  const markup = linkedMarkup({ id: "1", body: { markdown, file } }, (path) => pages[path] ?? []);
  if (markup !== undefined) expect(findMistake(markup)).toBeUndefined();
  return markup === undefined ? undefined : canonicalMarkup(markup).replace(/^<p>|<\/p>$/g, "");
}

function mistakes(markdown: string, file: string | undefined = "docs/a.md") {
  try {
    rendered(markdown, file);
  } catch (error) {
    if (error instanceof ProblemError) return error.problems;
    throw error;
  }
  return [];
}

describe("a relative link", () => {
  test.each([
    ["to the file of a page is a link to the page by its id", "[b](b.md)", link("2", "b")],
    ["has its label with all that is in it", "[a `b` *c* & d](b.md)", link("2", "a <code>b</code> <em>c</em> &amp; d")],
    [
      "is relative to the file that it stands in",
      "[c](../c.md) [b](./x/../b.md)",
      `${link("4", "c")} ${link("2", "b")}`,
    ],
    ["may have hard characters", "[p](<my page+1.md>) [p](my%20page%2B1.md)", `${link("3", "p")} ${link("3", "p")}`],
    ["may stand elsewhere, as a reference", '[b][r]\n\n[r]: b.md "tooltip"', link("2", "b")],
    ["may lead to a heading, as the wiki calls it", "[b](b.md#dates)", link("2", "b", "Dates")],
    ["may lead to the second of two equal headings", "[b](b.md#dates-1)", link("2", "b", "Dates.1")],
    ["may lead to a heading that reads like the second", "[e](e.md#step-1)", link("8", "e", "Step1")],
    ["may lead to the second heading beside such a one", "[e](e.md#step-2)", link("8", "e", "Step.1")],
    ["may lead to a heading that has an anchor of its own only here", "[e](e.md#step-3)", link("8", "e", "Step!")],
    ["may lead to a heading with tags and comments, which are no text", "[e](e.md#h2o-)", link("8", "e", "H2O")],
    ["may lead to a heading with a raised number, which code hosting leaves out", "[e](e.md#m)", link("8", "e", "m²")],
    ["may lead to a heading of any words", "[b](b.md#%C3%BCber-it--us)", link("2", "b", "Überit&amp;us")],
    ["may lead to a place in a page of other markup", "[d](d.html#x)", link("7", "d", "x")],
    ["may have an empty anchor or a query", "[b](b.md#) [b](b.md?plain=1)", `${link("2", "b")} ${link("2", "b")}`],
  ])("%s", (_what, markdown, markup) => {
    expect(rendered(markdown)).toBe(markup);
  });

  test("in a manifest's own text is relative to the manifest", () => {
    const markup = linkedMarkup({ id: "1", body: { markdown: "[b](docs/b.md)" } }, (path) => pages[path] ?? []);
    expect(markup).toContain(link("2", "b").replace("/>", " />"));
  });

  test("to a heading of the page itself is a link within it", () => {
    expect(rendered("[x](#set-up)\n\n# Set up")).toContain(
      '<ac:link ac:anchor="Setup"><ac:link-body>x</ac:link-body></ac:link>',
    );
  });

  test.each([["https://x.y/b.md"], ["/b.md"], ["mailto:b.md"], ["#nowhere"], ["data.csv"], ["b.mdx"], ["../other/"]])(
    "stays a plain link if it leads elsewhere: %s",
    (target) => {
      expect(rendered(`[x](${target})`)).toBeUndefined();
      expect(rendered(`[x](${target}) [b](b.md)`)).toContain(`<a href="${target}">x</a>`);
    },
  );
});

describe("a link is an error", () => {
  test("if no page has the file as its body, reported at its place in the text", () => {
    expect(mistakes("Text\n\nand a [link](missing.md#a).")).toEqual([
      {
        code: "SP1010",
        message:
          '"[link](missing.md#a)" points to docs/missing.md, but no page of this wiki is declared with that file as its body.',
        hint: "Declare a WikiPage with body.file, or link to the page's URL.",
        place: { file: "docs/a.md", line: 3, column: 7, length: 20 },
      },
    ]);
  });

  test("if the page has no such heading, with a suggestion", () => {
    expect(mistakes("[b](b.md#datse)")).toMatchObject([
      {
        code: "SP1010",
        message: '"[b](b.md#datse)" points to #datse, but docs/b.md has no such heading. Did you mean "dates"?',
        hint: "Its headings: über-it--us, dates, dates-1, set.",
      },
    ]);
  });

  test("if the page has no headings at all", () => {
    expect(mistakes("[p](my%20page%2B1.md#a)")).toMatchObject([{ code: "SP1010", hint: "The file has no headings." }]);
  });

  test("at no place in the text if it is written over two lines of a quote", () => {
    const [problem] = mistakes("> [a\n> b](missing.md)");
    expect([problem?.code, problem?.place]).toEqual(["SP1010", undefined]);
  });

  test("if several pages have the file as their body", () => {
    expect(mistakes("[two](two.md)")).toMatchObject([
      { code: "SP1002", message: expect.stringContaining("the body of pages 5 and 6") },
    ]);
  });

  test("for each such link separately", () => {
    expect(mistakes("[a](x.md) [b](y.md) [c](b.md)").map(({ place }) => place?.column)).toEqual([1, 11]);
  });
});

test("the headings of a page are read once, however many pages link to them", () => {
  const glossary = "# Read once";
  using lexed = vi.spyOn(Lexer, "lex");
  for (const id of ["1", "2"]) {
    const markdown = `[${id}](glossary.md#read-once)`;
    const markup = linkedMarkup({ id, body: { markdown } }, () => [{ id: "9", body: { markdown: glossary } }]);
    expect(markup).toContain('ac:anchor="Readonce"');
  }
  expect(lexed.mock.calls.filter(([text]) => text === glossary)).toHaveLength(1);
});

describe("in a workspace", () => {
  const files = {
    "manifests/docs/calendar.md": "# Dates\n\nSee [how](guide/release.md#freeze).",
    "manifests/docs/guide/release.md": "# Freeze\n\nSee [the dates](../calendar.md).",
  };
  const both = page("48213", "docs/calendar.md") + page("48377", "docs/guide/release.md");

  test("pages can link to each other in a circle, in any order, and are in sync after an apply", async () => {
    await using lab = await openLab();
    const report = await lab.apply({ now: both, files });
    expect(report.outcomes.map(({ result }) => result)).toEqual(["applied", "applied"]);
    expect(report.plan.changes.map(({ dependsOn }) => dependsOn)).toEqual([[], []]);
    expect(lab.asked().toSorted()).toEqual([...Array(4).fill("getPage"), "updatePage", "updatePage"]);
    const { pages: live } = lab.sandbox.state().wiki;
    expect(live["48213"]?.body).toContain(
      '<ac:link ac:anchor="Freeze"><ri:content-entity ri:content-id="48377" ri:version',
    );
    expect(live["48377"]?.body).toContain('<ri:content-entity ri:content-id="48213" ri:version-at-save="');
    expect((await lab.plan({ now: both, files })).changes).toEqual([]);
  });

  test("a changed title breaks no link", async () => {
    await using lab = await openLab();
    await lab.apply({ now: both, files });
    lab.sandbox.change(({ wiki }) => {
      const renamed = wiki.pages["48377"];
      if (renamed) renamed.title = "Another title";
    });
    expect((await lab.plan({ now: both, files })).changes).toEqual([]);
  });

  test("a manifest in a folder finds the files beside it", async () => {
    await using lab = await openLab();
    const inFolder = {
      "manifests/docs/pages.yaml": page("48213", "calendar.md") + page("48377", "guide/release.md"),
      ...files,
    };
    const plan = await lab.plan({ now: "", files: inFolder });
    expect(plan.changes.map(({ action }) => action)).toEqual(["update", "update"]);
  });

  test("a link to a file that no page has is an error in that file, with the line", async () => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan({ now: page("48213", "docs/calendar.md"), files }))).toEqual([
      {
        code: "SP1010",
        message: expect.stringContaining("points to docs/guide/release.md"),
        hint: expect.stringContaining("body.file"),
        place: {
          file: "manifests/docs/calendar.md",
          line: 3,
          column: 5,
          length: 30,
          excerpt: ["", "See [how](guide/release.md#freeze)."],
        },
      },
    ]);
    expect(lab.asked()).toEqual([]);
  });

  test("a link in a manifest's own text is an error at the document", async () => {
    await using lab = await openLab();
    const own = document("WikiPage", { id: "48213", body: { markdown: "[x](x.md)" } });
    expect(await problemsOf(lab.plan(own))).toMatchObject([
      { code: "SP1010", message: expect.stringContaining('"[x](x.md)" points to x.md'), place: { line: 2 } },
    ]);
  });

  test("a page of another wiki cannot be linked to", async () => {
    const wiki = (name: string) => `  ${name}: { type: confluence, url: "https://${name}.example" }\n`;
    const inWiki = (service: string, id: string, file: string) =>
      `---\n${JSON.stringify({ kind: "WikiPage", metadata: { service }, spec: { id, body: { file } } })}\n`;
    const source = inMemory({
      ...files,
      "setpoint.yaml": `version: 1\nservices:\n${wiki("one")}${wiki("two")}`,
      "manifests/all.yaml": inWiki("one", "1", "docs/calendar.md") + inWiki("two", "2", "docs/guide/release.md"),
    });
    const { problems } = await load({
      source,
      kinds,
      types: allServices,
      workspaceFile: "setpoint.yaml",
      variables: {},
    });
    expect(problems.map(({ code, place }) => [code, place?.file])).toEqual([
      ["SP1010", "manifests/docs/calendar.md"],
      ["SP1010", "manifests/docs/guide/release.md"],
    ]);
  });

  test("a page that has another error is not reported as missing too", async () => {
    await using lab = await openLab();
    const wrong = document("WikiPage", { id: "48377", titel: "x", body: { file: "docs/guide/release.md" } });
    const problems = await problemsOf(lab.plan({ now: page("48213", "docs/calendar.md") + wrong, files }));
    expect(problems.map(({ code }) => code)).toEqual(["SP1004"]);
  });
});
