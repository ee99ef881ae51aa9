import { parse as parseCsv } from "csv-parse/sync";
import { marked } from "marked";
import { type DefaultTreeAdapterTypes, parse as parseHtml } from "parse5";
import { SaxesParser } from "saxes";
import { describe, expect, test } from "vitest";
import { renderCsv } from "../../src/reports/formats/csv.ts";
import { renderJunit } from "../../src/reports/formats/junit.ts";
import { renderMarkdown } from "../../src/reports/formats/markdown.ts";
import { neutralJson, neutralMarkdown, neutralText } from "../../src/reports/neutral.ts";
import { renderRecorded } from "../../src/reports/text/basis-text.ts";
import { renderPlan } from "../../src/reports/text/plan-text.ts";
import { renderProblems } from "../../src/reports/text/problems.ts";
import { renderReport } from "../../src/reports/text/report-text.ts";
import { renderProblemPage, renderText } from "../../src/reports/text/result-text.ts";
import { visible } from "../../src/reports/text/style.ts";
import type { PlannedRun, RunResult } from "../../src/reports/text/summary.ts";
import { hostilePlan, hostileReport } from "../support/hostile-plan.ts";
import { hostileTexts } from "../support/hostile-text.ts";
import { asDrift, emptyPlan, fullPlan } from "./fixture.ts";

/** The commands that runners would find in a log, according to their sources. */
function commandsIn(log: string): readonly string[] {
  // Both runners treat a carriage return as the end of a line too.
  return log.split(/\r\n|\r|\n/).filter((line) => /##\w*\[/.test(line) || line.trimStart().startsWith("::"));
}

const unseen = /(?![\n\t \u3000])[\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u;

const subjects: readonly (readonly [string, PlannedRun])[] = [
  ["plan", { plan: hostilePlan() }],
  ["drift", { plan: asDrift(hostilePlan()) }],
  ["apply", { plan: hostilePlan(), report: hostileReport() }],
];

describe("a log", () => {
  test.each(hostileTexts)("of %j contains nothing that a runner or a terminal would interpret", (text) => {
    for (const log of [text, `  ${text}`, `a ${text}`, `${text}${text}`]) {
      const shown = neutralText(log);
      expect(commandsIn(shown)).toEqual([]);
      expect(shown).not.toMatch(unseen);
    }
  });

  test("keeps its own lines, colours, markup and indents", () => {
    const log = "## a\n\u001b[31m  red\u001b[39m :: b::c #[d]\r\n\te\n";
    expect(neutralText(log, { color: true })).toBe(log);
    expect(neutralText("\u001b[31m::error::x", { color: true })).toBe("\u001b[31m\\u{3a}:error::x");
  });

  test.each([40, 100])("of a plan, a report and problems is neutral at %d columns", (width) => {
    const options = { width, color: false, all: true };
    const { refusals } = hostilePlan();
    const placed = hostileTexts.map((text) => ({
      code: "SP1002" as const,
      message: text,
      place: { file: text, line: 2, column: 1, length: 3, excerpt: [text, text] },
    }));
    const screens = [
      renderPlan(hostilePlan(), options),
      renderPlan(asDrift(hostilePlan()), options),
      renderReport(hostileReport(), options),
      renderProblems([...refusals, ...placed], { ...options, summary: "Nothing was done.", most: 1000 }),
    ];
    // The corpus does contain commands for them.
    expect(screens.flatMap(commandsIn).length).toBeGreaterThan(20);
    expect(screens.map((screen) => neutralText(screen)).flatMap(commandsIn)).toEqual([]);
    for (const screen of screens) expect(neutralText(screen)).not.toMatch(unseen);
  });
});

test("a text report equals what the terminal shows: the plan, the outcomes and the recorded ref", () => {
  const options = { width: 100, color: false, all: false };
  const recorded = { ref: "refs/setpoint/applied", commit: "c0ffee0000", moved: true };
  const report = { ...hostileReport(["a"]), recorded };
  const plan = hostilePlan(["a"]);
  expect(renderText({ plan, report }, options)).toBe(
    `${renderPlan(plan, options)}\n\n${renderReport(report, options)}\n${renderRecorded(recorded, options)}`,
  );
});

test("neutral JSON has the same value, and nothing that a log would interpret or hide", () => {
  for (const value of [hostilePlan(), hostileTexts, Object.fromEntries(hostileTexts.map((text) => [text, text]))]) {
    const json = neutralJson(JSON.stringify(value, null, 2));
    expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
    expect(commandsIn(json)).toEqual([]);
    expect(json).not.toMatch(unseen);
  }
});

/** The elements of a document with their attributes, and its texts with the elements around them. */
function htmlOf(html: string) {
  const elements: string[] = [];
  const texts: { readonly text: string; readonly within: readonly string[] }[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node, within: readonly string[]) => {
    if (node.nodeName === "#comment") elements.push("comment");
    if ("value" in node) texts.push({ text: node.value, within });
    if ("tagName" in node) elements.push([node.tagName, ...node.attrs.map(({ name }) => name)].join(" "));
    if ("childNodes" in node) for (const child of node.childNodes) visit(child, [...within, node.nodeName]);
  };
  visit(parseHtml(html), []);
  return { elements, texts };
}

/** The same subject with harmless texts of one and two lines, to show which elements belong in a report. */
function calm({ plan: { about }, report }: PlannedRun): PlannedRun {
  const texts = ["a", "b\nc"];
  return { plan: { ...hostilePlan(texts), about }, ...(report === undefined ? {} : { report: hostileReport(texts) }) };
}

describe("Markdown", () => {
  test.each(subjects)("of %s has only its own elements, and every name is in a code span", (_name, subject) => {
    const render = (one: PlannedRun) => htmlOf(marked.parse(renderMarkdown(one), { async: false, gfm: true }));
    const { elements, texts } = render(subject);
    expect(new Set(elements)).toEqual(new Set(render(calm(subject)).elements));
    const outside = texts.filter(({ within }) => !within.includes("code")).map(({ text }) => text);
    // Text that a forge would turn into a link or a mention.
    expect(outside.join("\n")).not.toMatch(/@|#\d|https?:|www\.|GH-|[0-9a-f]{40}|evil/);
    expect(outside.join("\n")).not.toMatch(unseen);
  });

  test("a bar ends no cell of a table around the text, and text that cannot be seen is named", () => {
    expect(marked.parse(`| a |\n|---|\n| ${neutralMarkdown("x|y")} |`, { async: false, gfm: true })).toContain(
      "<code>x\\u{7c}y</code>",
    );
    expect([neutralMarkdown(""), neutralMarkdown(" ")]).toEqual(["(empty)", "(empty)"]);
  });

  test("lists what to review first before the changes, with each address in a code span", () => {
    const page = renderMarkdown({ plan: hostilePlan(["`a`"]) });
    expect(page.indexOf("**Review first**")).toBeLessThan(page.indexOf("<details>"));
    expect(page).toContain("- widens access: `` review/BranchLock/`a` ``");
  });
});

describe("HTML", () => {
  test("of problems has only its own elements, and loads nothing", () => {
    const page = (texts?: readonly string[]) => {
      const { refusals: problems } = hostilePlan(texts);
      return htmlOf(renderProblemPage({ command: "plan", problems }));
    };
    const { elements, texts } = page();
    expect(new Set(elements)).toEqual(new Set(page(["a"]).elements));
    expect(texts.map(({ text }) => text).join("")).toContain("<script>alert(1)</script>");
    expect(renderProblemPage({ command: "plan", problems: [] })).toContain('<meta name="viewport"');
  });

  test("of problems says once how many there are, and is dark for a reader who wants that", () => {
    const problems = [{ code: "SP5001", message: "Port 80 is already in use." }] as const;
    const page = renderProblemPage({ command: "plan", problems });
    expect(page.replace(/<head>.*<\/head>/s, "").match(/1 problem/g)).toHaveLength(1);
    expect(page).toContain('<meta name="color-scheme" content="light dark">');
  });
});

describe("JUnit", () => {
  test.each(subjects)("of %s is XML with a case for each resource", (_name, subject) => {
    const names: string[] = [];
    const parser = new SaxesParser({ xmlns: false });
    parser.on("error", (error) => {
      throw error;
    });
    parser.on("opentag", ({ name, attributes }) => {
      if (name === "testcase") names.push(String(attributes.name));
    });
    parser.write(renderJunit(subject)).close();
    const { changes, unknown, inSync } = subject.plan;
    const resources = [...changes, ...unknown].map(({ address }) => address);
    expect(names.filter((name) => name.startsWith("review/"))).toHaveLength(resources.length + inSync.length);
    expect(names).toContain("review/BranchLock/]]>");
    expect(commandsIn(renderJunit(subject))).toEqual([]);
  });

  test("fails for drift and for what an apply did not do, but not for what a plan would change", () => {
    const count = (subject: PlannedRun) => renderJunit(subject).split("<failure ").length - 1;
    const { refusals: _none, ...plan } = hostilePlan(["a"]);
    const whole = { ...plan, refusals: [] };
    expect(count({ plan: whole })).toBe(0);
    expect(count({ plan: asDrift(whole) })).toBe(2);
    expect(count({ plan: whole, report: { ...hostileReport(["a"]), plan: whole } })).toBe(1);
  });
});

describe("CSV", () => {
  test.each(subjects)("of %s has a row for each resource, and no formula", (_name, subject) => {
    const rows: string[][] = parseCsv(renderCsv(subject), { relax_column_count: false });
    const { changes, unknown, inSync } = subject.plan;
    expect(rows).toHaveLength(1 + changes.length + unknown.length + inSync.length);
    expect(rows.flat().filter((cell) => /^[\s]*[=+\-@＝]/.test(cell))).toEqual([]);
    expect(commandsIn(rows.flat().join("\n"))).toEqual([]);
  });

  test("has what is wrong with a resource, or with a run, in the same columns", () => {
    const problem = { code: "SP1004", message: "No a.", place: { file: "a.yaml", line: 4, column: 1 } } as const;
    const [unknown] = fullPlan.unknown;
    const rows = (result: RunResult) => parseCsv(renderCsv(result), { columns: true });
    expect(rows({ command: "plan", problems: [problem] })).toMatchObject([
      { problem: "SP1004 No a.", place: "a.yaml:4" },
    ]);
    expect(rows({ plan: { ...emptyPlan, unknown: unknown ? [{ ...unknown, problem }] : [] } })).toMatchObject([
      { address: unknown?.address, verdict: "unknown", problem: "SP1004 No a." },
    ]);
  });

  test("leaves text alone that is not a formula", () => {
    const rows: string[][] = parseCsv(renderCsv({ plan: hostilePlan(['a "b", c']) }));
    expect(rows[1]?.[0]).toBe(`review/BranchLock/${visible('a "b", c')}`);
  });
});
