import fc from "fast-check";
import { expect, test } from "vitest";
import type { Plan } from "../../src/core/run/plan.ts";
import { renderMarkdown } from "../../src/reports/formats/markdown.ts";
import { pageData } from "../../src/reports/html/view.ts";
import { renderPlan } from "../../src/reports/text/plan-text.ts";
import { compareLines, partnersOf } from "../../src/reports/text-difference.ts";
import { change, emptyPlan, fullPlan } from "./fixture.ts";

const options = { context: 1, ellipsis: "…" };

/** A page of a megabyte on one line, as a wiki stores it. */
const paragraph = (index: number) => `<p>Paragraph ${index} says <strong>what</strong> readers of this book need.</p>`;
const paragraphs = Array.from({ length: 14_000 }, (_, index) => paragraph(index));
const page = paragraphs.join("");

function planOf(live: string, desired: string): Plan {
  const fields = [{ path: ["body"], live, desired, verdict: "pending" }] as const;
  const changes = [change({ service: "wiki", kind: "WikiPage", key: "1", action: "update", fields })];
  return { ...emptyPlan, services: fullPlan.services, changes };
}

test("each small edit of a one-megabyte page on a single line is shown with its surroundings", () => {
  expect(page.length).toBeGreaterThan(1_000_000);
  const edited = page.replace("Paragraph 40 says", "Paragraph 40 tells").replace(paragraph(9000), "");
  const beside = "</strong> readers of this book need.</p>";
  expect(compareLines([page], [edited], options)?.flatMap(({ lines }) => lines)).toEqual([
    `-…what${beside}<p>Paragraph 40 says <strong>what${beside}<p>Par…`,
    `+…what${beside}<p>Paragraph 40 tells <strong>what${beside}<p>Par…`,
    `-…what${beside}<p>Paragraph 9000 says <strong>what${beside}<p>Paragraph 9001 says <strong>what${beside}<…`,
    `+…what${beside}<p>Paragraph 9001 says <strong>what${beside}<…`,
  ]);
});

test("every format shows the last edit of a page on one line", () => {
  const short = paragraphs.slice(0, 1000).join("");
  const plan = planOf(short, short.replace("Paragraph 40 says", "Paragraph 40 tells").replace("999 says", "999 hints"));
  const texts = [
    renderPlan(plan, { width: 100, color: false, all: false }),
    renderMarkdown({ plan }),
    JSON.stringify(pageData({ plan }).rows[0]?.fields),
  ];
  for (const text of texts) {
    expect(text).toContain("Paragraph 40 tells");
    expect(text).toContain("Paragraph 999 hints");
    expect(text).not.toContain("Paragraph 700 ");
  }
});

test("a line without tags and words is cut around the difference", () => {
  const line = (word: string) => `${"x".repeat(5000)}${word}${"y".repeat(5000)}`;
  const [hunk] = compareLines([line("OLD")], [line("NEW")], options) ?? [];
  const around = (word: string) => `…${"x".repeat(60)}${word}${"y".repeat(60)}…`;
  expect(hunk?.lines).toEqual([`-${around("OLD")}`, `+${around("NEW")}`]);
});

test("a short line is shown whole, and so is a long one that is added or removed", () => {
  const long = "word ".repeat(300);
  expect(compareLines(["a", "b"], ["a", "c", long], options)?.flatMap(({ lines }) => lines)).toEqual([
    " a",
    "-b",
    "+c",
    `+${long}`,
  ]);
});

test("long lines without anything in common are shown from their beginning", () => {
  const words = (name: string) => Array.from({ length: 3000 }, (_, index) => `${name}${index}`).join(" ");
  const [hunk] = compareLines([words("old")], [words("new")], options) ?? [];
  expect(hunk?.lines).toEqual([`-${words("old")}`, `+${words("new")}`]);
});

test("the number of their edits decides whether texts are too different", () => {
  const text = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}`);
  expect(compareLines(text("old", 1001), text("new", 1000), options)).toBeUndefined();
  // The same lines in another order: no line is only in one of them.
  const lines = text("same", 1002);
  expect(compareLines(lines, lines.toReversed(), options)).toBeUndefined();
});

test("each removed line is paired with the one that replaces it", () => {
  const lines = [" a", "-b", "-c", "+d", " e", "+f", "-g", "+h", "+i"];
  expect([...partnersOf(lines)]).toEqual([
    [1, 3],
    [3, 1],
    [6, 7],
    [7, 6],
  ]);
});

test("an excerpt of a long line is part of it, and shows a difference", () => {
  const words = fc.array(fc.constantFrom("a", "<b>", "c ", " ", "<", "ü", "🙂"), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(words, words, (before, after) => {
      // Equal beginnings and ends make the lines long.
      const line = (parts: readonly string[]) => `${"start ".repeat(200)}${parts.join("")}${" end".repeat(200)}`;
      const lines = compareLines([line(before)], [line(after)], options)?.flatMap((hunk) => hunk.lines) ?? [];
      expect(lines.length === 0).toBe(line(before) === line(after));
      for (const [index, told] of lines.entries()) {
        const whole = told.startsWith("-") ? line(before) : line(after);
        expect(whole).toContain(told.slice(1).replace(/^…/, "").replace(/…$/, ""));
        if (index % 2 === 1) expect(told.slice(1)).not.toBe(lines[index - 1]?.slice(1));
      }
    }),
  );
});
