import { expect, test } from "vitest";
import { openDirectLab } from "../support/lab.ts";

const lock = `kind: BranchLock
spec: { project: platform/core, branch: "^release-.*$" }
---
`;

const rule = (permission: string) => `kind: AccessRule
spec:
  project: platform/core
  ref: refs/heads/release-2.4
  permission: ${permission}
  exclusive: true
  rules: [{ group: Release Managers, action: ALLOW }]
---
`;

test("an apply whose rule opens a lock that was in sync says so, and is not recorded as complete", async () => {
  await using lab = await openDirectLab();
  await lab.apply({ now: lock });

  const { outcomes, problems } = await lab.apply({ now: lock + rule("push"), base: lock });

  expect(outcomes.map(({ result }) => result)).toEqual(["applied"]);
  expect(problems).toEqual([
    {
      code: "SP4001",
      service: "review",
      address: "review/BranchLock/platform/core:^release-.*$",
      message: "It was in sync before this apply, and no longer is: permissions.",
      hint: expect.stringContaining("Release Managers can push to release-2.4"),
    },
  ]);
});

test("an apply whose rule leaves a lock in effect has no problem", async () => {
  await using lab = await openDirectLab();
  await lab.apply({ now: lock });

  const { outcomes, problems } = await lab.apply({ now: lock + rule("read"), base: lock });

  expect([outcomes.map(({ result }) => result), problems]).toEqual([["applied"], undefined]);
});

test("an apply whose restart resets a system property that was in sync says so", async () => {
  await using lab = await openDirectLab();
  lab.sandbox.change(({ ci }) => {
    for (const job of Object.values(ci.jobs)) job.builds = [];
  });
  const property = `kind: SystemProperty
spec: { name: never.set, value: on }
---
`;
  const plugin = `kind: Plugin
metadata: { state: absent }
spec: { name: git, restart: safe }
---
`;
  await lab.apply({ now: property });

  const { outcomes, problems } = await lab.apply({ now: property + plugin, base: property });

  expect(outcomes.map(({ result }) => result)).toEqual(["applied"]);
  expect(problems).toMatchObject([
    {
      code: "SP4001",
      address: "ci/SystemProperty/never.set",
      message: "It was in sync before this apply, and no longer is: value.",
    },
  ]);
  expect((await lab.apply({ now: property + plugin, base: property })).problems).toBeUndefined();
});
