import { expect, test } from "vitest";
import { openDirectLab, signOut } from "../support/lab.ts";
import { document } from "../support/manifest.ts";

test("what has moved since the plan is refused as stale, and the rest continues", async () => {
  await using lab = await openDirectLab({ recheck: true });
  const manifests = ["website", "handbook"]
    .map((repo) => document("ActionsPermission", { org: "meridian-kites", repo, enabled: false }))
    .join("");
  const report = await lab.apply(manifests, () => {
    lab.sandbox.change(({ hosting }) => {
      const website = hosting.repositories.find(({ name }) => name === "website");
      if (website) website.actions.sha_pinning_required = true;
    });
  });
  expect(report.outcomes).toMatchObject([
    { address: "hosting/ActionsPermission/meridian-kites/handbook", result: "applied" },
    { address: "hosting/ActionsPermission/meridian-kites/website", result: "stale", problem: { code: "SP4003" } },
  ]);
  expect(lab.asked().filter((operation) => operation === "setActionsPermissions")).toHaveLength(1);
});

test("what did not move is applied", async () => {
  await using lab = await openDirectLab({ recheck: true });
  const locks = document("BranchLock", { project: "platform/core", branch: "release-2.4" });
  const page = document("WikiPage", { id: "48213", title: "Dates" });
  const report = await lab.apply(locks + page);
  expect(report.outcomes.map(({ result }) => result)).toEqual(["applied", "applied"]);
});

test("what can no longer be read is left alone, without a claim that it has changed", async () => {
  await using lab = await openDirectLab({ recheck: true });
  const manifest = document("ActionsPermission", { org: "meridian-kites", repo: "website", enabled: false });
  const report = await lab.apply(manifest, () => signOut(lab));
  expect(report.outcomes).toMatchObject([{ result: "skipped", problem: { code: "SP3003" } }]);
  expect(lab.asked()).not.toContain("setActionsPermissions");
});
