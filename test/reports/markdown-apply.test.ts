import { expect, test } from "vitest";
import type { PlannedChange } from "../../src/core/run/plan.ts";
import { renderMarkdown } from "../../src/reports/formats/markdown.ts";
import { change, emptyPlan, fullPlan } from "./fixture.ts";
import { fullReport } from "./report-fixture.ts";

test("an apply whose changes all have a result says nothing of unknown resources if all could be read", () => {
  const page = renderMarkdown({ plan: { ...fullPlan, unknown: [] }, report: fullReport });
  expect(page).toMatch(
    /^### setpoint apply: \d+ changes, 2 applied, 1 failed, 1 skipped, 1 stale, 1 unknown, 1,214 in sync/,
  );
});

test("what needs a person comes before what was applied", () => {
  const [done, left] = ["1", "2"].map((key) => change({ service: "wiki", kind: "WikiPage", key, action: "update" }));
  if (done === undefined || left === undefined) throw new Error("no change");
  const changes: readonly PlannedChange[] = [done, { ...left, action: "check" }];
  const report = { ...fullReport, outcomes: [{ address: done.address, result: "applied" as const }] };
  const page = renderMarkdown({ plan: { ...emptyPlan, changes }, report });
  expect(page.match(/^\*\*.+$/gm)).toEqual(["**Needs a person** (1)", "**Applied** (1)"]);
});

test("an apply first shows what failed, then what else was not applied, and why, with the place, the changes and the people of each resource", () => {
  const changes = fullPlan.changes.filter(({ service }) => service !== "wiki" && service !== "hosting");
  expect(renderMarkdown({ plan: { ...fullPlan, changes }, report: fullReport })).toMatchInlineSnapshot(`
    "### setpoint apply: 5 changes, 2 applied, 1 failed, 1 skipped, 1 stale, 1 unknown, 13 could not be read, 1,214 in sync.

    **Failed** (1)

    <details><summary>create <code>review/BranchLock/platform/ui:release-2.4</code>: pending, narrows access, failed</summary>

    - SP3007 \` The service refuses the request: branch is protected. \`
    - \` Look at what the service says, and correct the manifest. \`
    - \` project \`: \` platform/ui \`
    - \` branch \`: \` release-2.4 \`
    - \` groups \`: \` (empty) \`

    </details>

    **Not known whether it was applied** (1)

    <details><summary>create <code>analysis/AnalysisUser/build-bot</code>: pending, widens access, rotates a secret, unknown</summary>

    - \` name \`: \` build-bot \`
    - \` password \`: \` ••• \`

    </details>

    **Skipped** (1)

    <details><summary>delete <code>analysis/AnalysisRole/interns</code>: pending, cannot be undone, narrows access, skipped</summary>

    - SP4002 \` It needs analysis/AnalysisUser/build-bot, which was not applied. \`

    </details>

    **Applied** (2)

    <details><summary>update <code>review/AccessRule/platform/core:refs/heads/*:push</code>: conflict, widens access, narrows access, applied</summary>

    - \` manifests/rules.yaml:12 \`
    - \` project configured by R. Kumar, 2027-01-13 18:04 UTC: "Just this once…" \`
    - \` project configured by A. Kim \`
    - \` exclusive \`: \` true \` → \` false \`
    - \` rules \` (drift):

    \`\`\`diff
    @@ -1,2 +1,3 @@
     {group: Administrators, action: ALLOW, force: false}
    -{group: "Release Managers", action: ALLOW, force: true}
    +{group: Developers, action: ALLOW, force: false}
    +{group: "Release Managers", action: ALLOW, force: false}
    \`\`\`

    </details>

    <details><summary>update <code>review/BranchLock/platform/core:release-2.4</code>: pending, narrows access, applied</summary>

    - \` manifests/locks.yaml:2 \`
    - \` permissions \`: \` submit, push \` → \` submit, push, pushMerge \`
    - \` reason \`: \` (none) \` → \` "Frozen for 2.4 GA" \`

    </details>

    **Risks**

    - cannot be undone: \` analysis/AnalysisRole/interns \`
    - widens access: \` review/AccessRule/platform/core:refs/heads/*:push \`
    - widens access: \` analysis/AnalysisUser/build-bot \`
    - rotates a secret: \` analysis/AnalysisUser/build-bot \`

    **Unknown: could not be read** (13)

    - SP3101 \` The service did not answer within 10 s. \`: \` analysis/AnalysisUser/user-1 \`, \` analysis/AnalysisUser/user-2 \`, \` analysis/AnalysisUser/user-3 \` and 9 more · hint: \` See whether it is up, or raise limits.timeout. \`
    - SP3104 \` The list ended at its limit of 100000 without leads. \`: \` analysis/AnalysisGroup/leads \`
    "
  `);
});
