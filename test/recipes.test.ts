import { join } from "node:path";
import { globSync } from "tinyglobby";
import { expect, test } from "vitest";
import { openDesk } from "./support/desk.ts";
import { missingFrom, stepsOf } from "./support/pages.ts";

const root = join(import.meta.dirname, "..");
// The first hour begins without a workspace, and has its own test.
const shown = ["docs/recipes/*.md", "!docs/recipes/first-hour.md", "docs/reports.md", "docs/saved-plans.md"];
const pages = globSync(shown, { cwd: root }).filter((page) => stepsOf(join(root, page)).length > 0);

test.concurrent.each(pages)("the steps of %s work one after the other", async (page) => {
  await using desk = await openDesk();
  let printed = "";
  for (const step of stepsOf(join(root, page))) {
    const place = `${page}:${step.line}`;
    if (step.is === "file") await desk.write(step.path, aheadOf(step.text));
    else if (step.is === "printed") expect(missingFrom(printed, step.text), `${place}\n${printed}`).toEqual([]);
    else {
      const ended = await desk.run(aheadOf(step.text));
      expect(ended.exits, `${place}\n${step.text}\n${ended.printed}`).toBe(step.exits);
      printed = ended.printed;
    }
  }
});

/** The text of a page with its future dates moved ahead of today. */
function aheadOf(text: string): string {
  const inAMonth = new Date(Date.now() + 30 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  return text.replaceAll(/(?<=expires: |--until )\d{4}-\d\d-\d\d/g, inAMonth);
}

test.each([
  ["as it was printed", "1 read\n…\n2 drift", []],
  ["with a moment and a port of its own", "http://127.0.0.1:1 on 2026-01-02", []],
  ["with a line that was not printed", "1 read\n…\n3 drift", ["3 drift"]],
  ["with a part of a line", "2 dri", ["2 dri"]],
  ["in another order", "2 drift\n…\n1 read", ["1 read"]],
])("the output on a page, %s", (_how, shown, missing) => {
  const printed = "begin\nhttp://127.0.0.1:4780 on 2026-11-22\n1 read\nrows\n2   drift\n";
  expect(missingFrom(printed, shown)).toEqual(missing);
});
