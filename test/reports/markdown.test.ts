import fc from "fast-check";
import { marked } from "marked";
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { expect, test } from "vitest";
import type { Plan, PlannedChange } from "../../src/core/run/plan.ts";
import { renderMarkdown } from "../../src/reports/formats/markdown.ts";
import type { RunResult } from "../../src/reports/text/summary.ts";
import { hostileTexts } from "../support/hostile-text.ts";
import { asDrift, change, emptyPlan, fullPlan, planWithAsides, refusals } from "./fixture.ts";
import { mistakes } from "./report-fixture.ts";

/** The number of characters that a host accepts in one comment. */
const limit = 65_536;

/** A page as a host shows it: its top elements, and all text outside of code. */
function shown(markdown: string) {
  const page = parseFragment(marked.parse(markdown, { async: false, gfm: true }));
  const outside: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node) => {
    if (node.nodeName === "code") return;
    if ("value" in node) outside.push(node.value);
    if ("childNodes" in node) for (const child of node.childNodes) visit(child);
  };
  visit(page);
  return { top: page.childNodes.filter(({ nodeName }) => nodeName !== "#text"), outside: outside.join("\n") };
}

const text = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ maxLength: 40 }),
  fc
    .array(fc.constantFrom("`", "```", "~~~~", "</details>", "\n", "\n\n", "<details>", " ", "a", "|", "- "), {
      maxLength: 12,
    })
    .map((parts) => parts.join("")),
  // Longer than any space available for it.
  fc.constantFrom("x".repeat(9_000), "a\n".repeat(9_000), "##[".repeat(9_000), "`".repeat(9_000)),
);
const field = fc.record({
  path: fc.array(text, { minLength: 1, maxLength: 2 }),
  live: fc.option(text, { nil: undefined }),
  desired: fc.option(fc.oneof(text, fc.array(text, { maxLength: 3 })), { nil: undefined }),
  verdict: fc.constantFrom("pending" as const, "drift" as const),
});
const changes = fc.array(
  fc
    .record({
      key: text,
      action: fc.constantFrom("create" as const, "update" as const, "delete" as const, "check" as const),
      verdict: fc.constantFrom("pending" as const, "drift" as const, "conflict" as const),
      fields: fc.array(field, { maxLength: 5 }),
      risks: fc.subarray(["widens-access", "narrows-access", "irreversible"] as const),
      note: text,
      instruction: text,
    })
    .map((part) => change({ service: "review", kind: "Kind", ...part })),
  { maxLength: 60 },
);
const problem = text.map((message) => ({ code: "SP3007", message, hint: message, address: message }) as const);
const plan: fc.Arbitrary<Plan> = fc
  .record({
    changes,
    unknown: fc.array(
      problem.map((one) => ({ address: one.message, service: "review", problem: one })),
      { maxLength: 30 },
    ),
    refusals: fc.array(problem, { maxLength: 30 }),
    warnings: fc.array(problem, { maxLength: 30 }),
    orphans: fc.array(text, { maxLength: 30 }),
    base: text,
  })
  .map((part) => ({ ...emptyPlan, ...part }));
const results: fc.Arbitrary<RunResult> = fc.oneof(
  plan.map((one) => ({ plan: one })),
  plan.map((one) => ({ plan: asDrift(one) })),
  fc.array(problem, { maxLength: 300 }).map((problems) => ({ command: "plan", problems }) as const),
);

test("any report fits, and every fence, element and code span in it is closed", () => {
  fc.assert(
    fc.property(results, (result) => {
      const markdown = renderMarkdown(result);
      expect(markdown.length).toBeLessThanOrEqual(limit);
      const { top, outside } = shown(markdown);
      expect(top.filter(({ nodeName }) => !/^(?:h3|p|ul|details)$/.test(nodeName))).toEqual([]);
      expect(top.filter(({ nodeName }) => nodeName === "details")).toHaveLength(
        markdown.split("\n<details>").length - 1,
      );
      expect(outside).not.toMatch(/`|<\/?details|~~~/);
    }),
    { numRuns: 60 },
  );
});

test("a fence within a text closes nothing, and a long text leaves room for the others", () => {
  const text = (last: string) => `a\n${"`".repeat(4)}\n</details>\n${last}`;
  const fields = [{ path: ["body"], live: text("b"), desired: text("@all"), verdict: "pending" } as const];
  const own = { service: "wiki", kind: "WikiPage", key: "1", action: "update", fields } as const;
  const long = { code: "SP2002", message: "x".repeat(70_000) } as const;
  const plan = { ...emptyPlan, changes: [change(own)], refusals: [long, ...refusals] };
  const { top, outside } = shown(renderMarkdown({ plan }));
  expect(top.filter(({ nodeName }) => nodeName === "details")).toHaveLength(1);
  expect(outside).not.toMatch(/@all|details/);
  expect(renderMarkdown({ plan })).toContain("the workspace allows 0.");
});

test("what is newly left alone, commands that get a secret and what a complete apply starts are listed", () => {
  const markdown = renderMarkdown({ plan: planWithAsides });
  expect(markdown.split("\n").filter((line) => /^(- `|\*)/.test(line))).toEqual([
    "**These manifests newly leave alone**",
    '- ` store/Box/a `: ` acknowledged size until 2027-01-20: "quiet" `',
    "- ` store/Box/b `: ` ignores size and label `",
    "**These manifests deliver the next secret elsewhere**",
    "- ` store/Token/c `: ` to the command curl -T - `",
    "- ` store/Token/d `: ` to TOKEN in secrets/.env `",
    "- ` 1 new secret would go to the command vault: an apply needs --allow-exec. `",
    '- ` After a complete apply: hosting.dispatchWorkflow with owner "meridian-kites", repo "website", workflowId "publish.yml", inputs {"target":"${run.id}"}. `',
    '- ` After a complete apply: ci.buildJob with job "applied". `',
  ]);
});

/** Changes that each need some space. */
function many(count: number, part: Partial<PlannedChange> = {}): readonly PlannedChange[] {
  const fields = [{ path: ["body"], live: "a\n".repeat(9), desired: "b\n".repeat(9), verdict: "pending" } as const];
  return Array.from({ length: count }, (_none, index) =>
    change({ service: "wiki", kind: "WikiPage", key: `${index}`, action: "update", fields, ...part }),
  );
}

test("whatever does not fit is counted: changes, those with risks, and details", () => {
  const risky = many(1000, { risks: ["irreversible"] });
  const markdown = renderMarkdown({ plan: { ...emptyPlan, changes: [...many(1000), ...risky] } });
  expect(markdown.length).toBeGreaterThan(limit * 0.9);
  const [, more = "", risks = "", details = ""] =
    /… and ([\d,]+) more changes, ([\d,]+) of them with risks\. The details of ([\d,]+) are left out\./.exec(
      markdown,
    ) ?? [];
  const listed = markdown.split(/^(?:<details>|- update )/m).length - 1;
  const folded = markdown.split("\n- update ").length - 1;
  const number = (words: string) => Number(words.replace(",", ""));
  expect([number(more), number(details)]).toEqual([2000 - listed, folded]);
  expect([folded > 0, number(risks)]).toEqual([true, 1000 - listed]);
});

test("a plan with a base separates what the change does from what had drifted before", () => {
  const markdown = renderMarkdown({ plan: fullPlan });
  const [before = "", drifted = ""] = markdown.split("**What had drifted before** (2)");
  const [, own = ""] = before.split("**What this change does** (5)");
  expect([own.includes("platform/ui:release-2.4"), own.includes("WikiPage/48213")]).toEqual([true, false]);
  expect([drifted.includes("platform/ui:release-2.4"), drifted.includes("WikiPage/48213")]).toEqual([false, true]);
  expect(own.indexOf("AccessRule")).toBeLessThan(own.indexOf("BranchLock"));
  const { base: _none, ...plan } = fullPlan;
  expect(renderMarkdown({ plan })).toContain("**Changes** (7)");
});

test("many changes leave room for what had drifted before", () => {
  const changes = [...many(1000), ...many(1000, { verdict: "drift" })];
  const [, drifted = ""] = renderMarkdown({ plan: { ...emptyPlan, base: "main", changes } }).split(
    "**What had drifted",
  );
  expect(drifted).toContain("<details>");
});

test("what is long is cut and counted: the lines of a field, the fields of a resource, and its events", () => {
  const page = (part: Partial<PlannedChange>) =>
    renderMarkdown({ plan: { ...emptyPlan, changes: many(1, { fields: [], ...part }) } });
  const verdict = "pending" as const;
  const text = (count: number) => Array.from({ length: count }, (_none, index) => `line ${index}`).join("\n");
  const added = (count: number) =>
    page({ fields: [{ path: ["body"], live: "start\n", desired: text(count), verdict }] });
  expect(added(57)).toMatch(/\+line 56\n```\n\n<\/details>/);
  expect(added(59)).toMatch(/\+line 56\n```\n\n… and 2 more lines\n\n<\/details>/);
  expect(added(2001)).toContain("- ` body `:\n\n2 lines → 2,001 lines\n\n");
  const fields = Array.from({ length: 90 }, (_none, index) => ({
    path: [`field-${10 + index}`],
    live: "a".repeat(40),
    desired: "b".repeat(40),
    verdict,
  }));
  const [all = "", more] = /<details>.*… and (\d+) more fields\n\n<\/details>/s.exec(page({ fields })) ?? [];
  expect(all.split("\n- ` field-").length - 1 + Number(more)).toBe(90);
  expect([all.length > 7_900, all.length < 8_200]).toEqual([true, true]);
  const events = ["a", "b", "c", "d"].map((by) => ({ what: "edited" as const, by }));
  expect(page({ events: events.slice(1) })).toMatch(/edited by d `\n\n<\/details>/);
  expect(page({ events })).toMatch(/edited by c `\n- … and 1 more event\n\n<\/details>/);
});

test("decisive facts precede the changes: refusals, risks, warnings, rules, base, and what is left out or agreed to", () => {
  const markdown = renderMarkdown({
    plan: {
      ...fullPlan,
      refusals,
      warnings: [{ code: "SP5007", message: "A journal is damaged." }],
      trusted: {
        ref: "origin/main",
        changes: [{ file: "setpoint.yaml", path: ["guards", "maxDeletes"], trusted: 1, head: 100 }],
        onceMerged: [{ code: "SP1022", message: "It would delete more." }],
      },
      basis: {
        ref: "applied",
        commit: "c0ffee0000",
        at: "2027-01-10T00:00:00Z",
        age: "3 days",
        relation: "before",
        commits: 5,
        subjects: ["One", "Two", "Three", "Four"],
      },
      orphans: ["old/Kind/a"],
      consented: { accept: ["irreversible"] },
    },
    withheld: new Map([[1, { code: "SP4003", message: "Changed." }]]),
  });
  const order = [
    "**Refused**",
    "**Review first**",
    "A journal is damaged.",
    "` guards.maxDeletes `: ` 1 ` → ` 100 `",
    "**Once merged, this is judged differently**",
    "5 commits since:",
    "… and 2 more.",
    "old/Kind/a",
    "--accept irreversible",
    "1 call of the saved plan is not made",
    "**What this change does**",
  ].map((words) => markdown.indexOf(words));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(order[0]).toBeGreaterThan(0);
});

test("an unknown resource is named before the hint about it", () => {
  const problem = { code: "SP3009", message: "The service answered 503.", hint: "Try again later." } as const;
  const unknown = [{ address: "wiki/WikiPage/1", service: "wiki", problem }];
  expect(renderMarkdown({ plan: { ...emptyPlan, unknown } })).toContain(
    "\n- SP3009 ` The service answered 503. `: ` wiki/WikiPage/1 ` · hint: ` Try again later. `\n",
  );
});

test("acknowledged resources are counted and listed, with until when, by whom and why", () => {
  const ignored = [{ address: "wiki/WikiPage/1", field: "title", until: "2027-01-20", reason: "Moves", by: "jdoe" }];
  const markdown = renderMarkdown({ plan: { ...emptyPlan, ignored } });
  expect(markdown).toContain("0 in sync, 1 acknowledged.");
  expect(markdown).toContain('` wiki/WikiPage/1 `: ` acknowledged title until 2027-01-20 by jdoe: "Moves" `');
});

test("the calls of every operation are counted, with their digits in groups, as on a screen", () => {
  const writes = { "analysis.createUser": 1000, "ci.runScript": 1 };
  const markdown = renderMarkdown({ plan: { ...fullPlan, refusals: [], forecast: { writes, verifyScopes: 1 } } });
  expect(markdown).toContain("1,000 × ` analysis.createUser `, 1 × ` ci.runScript `.");
});

test("problems are shown with their places and hints", () => {
  expect(renderMarkdown({ command: "plan", problems: mistakes })).toMatchInlineSnapshot(`
    "### setpoint plan: 4 problems.

    - \` wiki.getPage \` · SP3003 \` The service did not accept the credentials. \` · hint: \` Set SETPOINT_WIKI_TOKEN to a valid token. \`
    - \` manifests/locks.yaml:10:14 \` · SP1002 \` "yes" is not a boolean: write true or false. \`
    - \` manifests/locks.yaml:3:3 \` · SP1004 \` BranchLock has no field "projekt". Did you mean "project"? \`
    - \` manifests/b.yaml:1:7 \` · SP1006 \` review/BranchLock/platform/core:release-2.4 is declared twice. \` · hint: \` Remove one of the two documents. \`
    "
  `);
});
