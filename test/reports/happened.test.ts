import { expect, test } from "vitest";
import type { Plan } from "../../src/core/run/plan.ts";
import { remarksOf } from "../../src/publishers/remarks.ts";
import { wikiMarkup } from "../../src/publishers/wiki-markup.ts";
import { findingsOf } from "../../src/reports/findings.ts";
import { renderCsv } from "../../src/reports/formats/csv.ts";
import { renderJunit } from "../../src/reports/formats/junit.ts";
import { renderMarkdown } from "../../src/reports/formats/markdown.ts";
import { asDrift, change, emptyPlan } from "./fixture.ts";

const lock = { service: "review", kind: "BranchLock", verdict: "drift" } as const;

/** Someone deleted the lock b, and removed a permission of the lock c. The title of a page is not a risk. */
const plan: Plan = asDrift({
  ...emptyPlan,
  changes: [
    change({
      service: "artifacts",
      kind: "ItemProperties",
      key: "a",
      action: "update",
      verdict: "drift",
      happened: { action: "update", risks: [] },
    }),
    change({
      ...lock,
      key: "b",
      action: "create",
      risks: ["narrows-access"],
      happened: { action: "delete", risks: ["widens-access"] },
    }),
    change({
      ...lock,
      key: "c",
      action: "update",
      risks: ["narrows-access"],
      happened: { action: "update", risks: ["widens-access"] },
      fields: [{ path: ["permissions"], live: ["submit"], desired: ["push", "submit"], verdict: "drift" }],
    }),
  ],
});

const edition = { command: "drift", name: "", prefix: "", at: plan.about.at, facts: {} } as const;

test("Markdown begins with what widened access, and says what happened to it", () => {
  const heads = [...renderMarkdown({ plan }).matchAll(/<summary>(.*)<\/summary>/g)].map(([, head]) => head);
  expect(heads).toEqual([
    "delete <code>review/BranchLock/b</code>: drift, was deleted, access was widened",
    "update <code>review/BranchLock/c</code>: drift, access was widened",
    "update <code>artifacts/ItemProperties/a</code>: drift",
  ]);
});

test("a CSV has the action and the risks of what happened", () => {
  const rows = renderCsv({ plan }).split("\r\n");
  expect(rows[2]).toContain('"BranchLock","delete","drift","widens-access",');
});

test("JUnit has the values from the manifests' to the live one", () => {
  const page = renderJunit({ plan });
  expect(page).toContain("delete, drift");
  expect(page).toMatch(/permissions: \[.*push.*submit.*\] → \[[^,]*submit[^,]*\]/);
});

test("the page of the wiki has who changed it, when and why, and of each sort of event the newest", () => {
  const edited = { what: "edited", by: "rkumar" } as const;
  const events = [
    { ...edited, at: "2027-01-12T18:04:00.000Z", message: "On Tuesday" },
    { ...edited, at: "2027-01-13T18:04:00.000Z", message: "On Wednesday" },
  ];
  const changes = plan.changes.slice(0, 1).map((one) => ({ ...one, events }));
  const page = wikiMarkup(edition, { is: "made", subject: { plan: { ...plan, changes } } });
  expect(page).toContain("edited by rkumar, 2027-01-13 18:04 UTC: &quot;On Wednesday&quot;");
  expect(page).not.toContain("On Tuesday");
});

test("the page of the wiki has what happened, and its fields from the manifests' value to the live one", () => {
  const page = wikiMarkup(edition, { is: "made", subject: { plan } });
  expect(page).toContain("<td><code>review/BranchLock/b</code></td><td>delete</td><td>widens access</td>");
  expect(page).toContain("<code>[&quot;push&quot;,&quot;submit&quot;]</code> → <code>[&quot;submit&quot;]</code>");
});

test("a review has what happened, and its fields from the manifests' value to the live one", () => {
  const { unplaced } = remarksOf({ is: "made", subject: { plan } }, "");
  const said = unplaced.join("\n").replaceAll(/[` ]+/g, " ");
  expect(said).toContain("delete review/BranchLock/b : drift, was deleted, access was widened");
  expect(said).toContain('permissions : ["push","submit"] → ["submit"]');
});

test("a finding says what happened, with its risks", () => {
  expect(findingsOf({ plan }).map(({ message, risks }) => [message.split("\n")[0], risks])).toEqual([
    ["artifacts/ItemProperties/a: drift", []],
    ["review/BranchLock/b: drift, was deleted, access was widened", ["widens-access"]],
    ["review/BranchLock/c: drift, access was widened", ["widens-access"]],
  ]);
});

test("of long values, the part that differs is shown", () => {
  const text = (end: string) => `${"a line of a page\n".repeat(50)}until ${end}\n${"and more\n".repeat(50)}`;
  const fields = [{ path: ["body"], live: text("Monday"), desired: text("Friday"), verdict: "drift" }] as const;
  const edited = change({ ...lock, key: "d", action: "update", happened: { action: "update", risks: [] }, fields });
  const drift = { plan: { ...plan, changes: [edited] } };
  for (const said of [renderJunit(drift), findingsOf(drift)[0]?.message])
    expect(said).toMatch(/body: ….{40,60}(Friday|Monday)[^→]*(?:→|\(live\),) ….{40,60}(Friday|Monday)/s);
});
