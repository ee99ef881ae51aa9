import { expect, test } from "vitest";
import { problemOf } from "../clients/fixtures.ts";
import { openDirectLab } from "../support/lab.ts";

test("a plan that a guard refuses is not applied, whoever applies it", async () => {
  await using lab = await openDirectLab();
  const lock = "kind: BranchLock\nspec: { project: platform/core, branch: release-2.4 }\n";
  await lab.apply(lock);
  lab.asked();
  const removed = { now: "", base: lock, consent: { maxDeletes: 0 } };
  expect(await problemOf(lab.apply(removed))).toMatchObject({ code: "SP2002" });
  expect(lab.asked()).not.toContain("modifyProjectAccess");
});
