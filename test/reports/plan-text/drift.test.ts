import { expect, test } from "vitest";
import { renderPlan } from "../../../src/reports/text/plan-text.ts";
import { asDrift, change, emptyPlan, fullPlan } from "../fixture.ts";
import { screen } from "./screen.ts";

test("drift shows what happened: from the manifests' value to the live one, and which side changed", () => {
  const changes = fullPlan.changes.filter(({ service }) => service === "review" || service === "wiki");
  const title = { path: ["title"], live: "Dates", desired: "Release dates", verdict: "pending" } as const;
  const fields = [...(changes[3]?.fields.slice(1) ?? []), title];
  const shown = changes.map((one) => (one.service === "wiki" ? { ...one, fields } : one));
  const plan = { ...emptyPlan, services: fullPlan.services, changes: shown, calls: fullPlan.calls.slice(0, 3) };
  expect(renderPlan(asDrift(plan), screen)).toMatchInlineSnapshot(`
    "review    https://review.example.com                                     2 reads
      ! AccessRule platform/core:refs/heads/*:push
          conflict, both sides changed, access was widened and narrowed
          exclusive  false → true
          rules  (the service changed)
               {group: Administrators, action: ALLOW, force: false}
            -  {group: Developers, action: ALLOW, force: false}
            -  {group: "Release Managers", action: ALLOW, force: false}
            +  {group: "Release Managers", action: ALLOW, force: true}
          project configured by R. Kumar, 2027-01-13 18:04 UTC: "Just this once…"
          manifests/rules.yaml:12
      ~ BranchLock platform/core:release-2.4
          pending, only the manifests changed, narrows access
          permissions  submit, push → submit, push, pushMerge
          reason       (none) → "Frozen for 2.4 GA"
          manifests/locks.yaml:2
      + BranchLock platform/ui:release-2.4
          pending, only the manifests changed, narrows access
          project  platform/ui
          branch   release-2.4
          groups   (empty)

    wiki      https://wiki.example.com                                        1 read
      ~ WikiPage 48213                                                         drift
          title  "Release calendar" → "Release calender"
          title  Dates → "Release dates"  (the manifests changed)
          edited by jdoe, 2027-01-13 18:04 UTC, v18            manifests/wiki.yaml:2

    0 in sync   2 pending   1 drift   1 conflict   0 unknown
    An apply would make everything as desired with 3 calls: .

    Undo:    setpoint apply --only 'review/AccessRule/platform/core:refs/heads/*:push' --only wiki/WikiPage/48213
    Accept:  setpoint adopt 'review/AccessRule/platform/core:refs/heads/*:push' wiki/WikiPage/48213
    Mute:    setpoint ack wiki/WikiPage/48213 --until 2027-01-20 --reason …"
  `);
});

test("drift says what was created and deleted manually, and what access that opened", () => {
  const rule = { service: "review", kind: "AccessRule", verdict: "drift", risks: ["narrows-access"] } as const;
  const push = { path: ["permission"], verdict: "drift" } as const;
  const changes = [
    change({
      ...rule,
      key: "made",
      action: "delete",
      happened: { action: "create", risks: ["widens-access"] },
      fields: [{ ...push, live: "push", desired: undefined }],
    }),
    change({
      ...rule,
      key: "gone",
      action: "create",
      happened: { action: "delete", risks: ["widens-access"] },
      fields: [{ ...push, live: undefined, desired: "push" }],
    }),
  ];
  const plan = { ...emptyPlan, services: fullPlan.services, changes, calls: fullPlan.calls.slice(0, 1) };
  expect(renderPlan(asDrift(plan), screen)).toMatchInlineSnapshot(`
    "review    https://review.example.com                                     2 reads
      + AccessRule made                       drift, was created, access was widened
          permission  push
      - AccessRule gone                       drift, was deleted, access was widened
          permission  push

    0 in sync   0 pending   2 drift   0 conflicts   0 unknown
    An apply would undo this with 1 call: .

    Undo:    setpoint apply --only review/AccessRule/made --only review/AccessRule/gone"
  `);
});
