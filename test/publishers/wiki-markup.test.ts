import { expect, test } from "vitest";
import type { Edition, News } from "../../src/publishers/publisher.ts";
import { wikiMarkup } from "../../src/publishers/wiki-markup.ts";
import { emptyPlan, fullPlan, refusals } from "../reports/fixture.ts";
import { fullReport } from "../reports/report-fixture.ts";
import { made } from "./press.ts";

const edition: Edition = { command: "plan", name: "", prefix: "", at: "2027-01-14T02:00:00.000Z", facts: {} };

/** The lines of a page after its heading, its result and its moment. */
function shown(news: News, command: Edition["command"] = "plan"): readonly string[] {
  return wikiMarkup({ ...edition, command }, news)
    .split("\n")
    .slice(3);
}

test("a run that ended early lists its errors with their places", () => {
  const place = { file: "a.yaml", line: 3, column: 1, length: 1 };
  const problems = [
    { code: "SP1004", message: "No <field>.", place },
    { code: "SP3003", message: "No." },
  ] as const;
  const items =
    "<li>SP1004: <code>a.yaml:3</code> <code>No &lt;field&gt;.</code></li><li>SP3003: <code>No.</code></li>";
  expect(shown({ is: "wrong", problems })).toEqual(["<h2>Errors</h2>", `<ul>${items}</ul>`]);
  expect(shown({ is: "wrong", problems: Array.from({ length: 302 }, () => problems[1]) }).at(-1)).toBe(
    "<p>… and 2 more.</p>",
  );
});

test("a plan of nothing has no sections, and a refused one its reasons", () => {
  expect(shown(made(emptyPlan))).toEqual([]);
  const reasons = refusals.map(({ code, message }) => `<li>${code}: <code>${message}</code></li>`).join("");
  expect(shown(made({ ...emptyPlan, refusals }))).toEqual(["<h2>Refused</h2>", `<ul>${reasons}</ul>`]);
});

test("a row has what was done to a resource, what failed, its fields and its place", () => {
  const page = shown({ is: "made", subject: { plan: fullPlan, report: fullReport } }, "apply").join("\n");
  expect(page).toContain(
    "<tr><th>Resource</th><th>Action</th><th>Risks</th><th>Result</th><th>Fields</th><th>Declared</th></tr>",
  );
  expect(page).toContain(
    "<tr><td><code>review/BranchLock/platform/core:release-2.4</code></td><td>update</td><td>narrows access</td><td>applied</td>" +
      "<td><p><code>permissions</code>: <code>[&quot;submit&quot;,&quot;push&quot;]</code> → <code>[&quot;submit&quot;,&quot;push&quot;,&quot;pushMerge&quot;]</code></p>" +
      "<p><code>reason</code>: <code>(none)</code> → <code>Frozen for 2.4 GA</code></p></td>" +
      "<td><code>manifests/locks.yaml:2</code></td></tr>",
  );
  expect(page).toContain(
    "<td>skipped</td><td><p>SP4002: <code>It needs analysis/AnalysisUser/build-bot, which was not applied.</code></p></td><td></td></tr>",
  );
});

test("the page links to the run's log, except where only its content is compared", () => {
  const facts = { link: "https://ci.example/?a=1&b=2" };
  const link = '<a href="https://ci.example/?a=1&amp;b=2">Its log</a>';
  expect(wikiMarkup({ ...edition, facts }, made(emptyPlan))).toContain(link);
  expect(wikiMarkup({ ...edition, facts, at: "" }, made(emptyPlan))).not.toContain("Its log");
});
