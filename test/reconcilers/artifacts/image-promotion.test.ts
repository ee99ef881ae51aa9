import { describe, expect, test } from "vitest";
import type { Metadata } from "../../../src/core/resource.ts";
import { imagePromotion } from "../../../src/reconcilers/artifacts/image-promotion.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

const source = { sourceRepo: "docker-dev-local", image: "meridian/telemetry", tag: "1.5.0" };

function promotion(spec: Readonly<Record<string, unknown>> = {}, metadata: Partial<Metadata> = {}): string {
  return document("ImagePromotion", { ...source, targetRepo: "docker-prod-local", ...spec }, metadata);
}

function tagsIn({ sandbox }: Lab, repository: string): readonly string[] {
  return Object.keys(sandbox.state().artifacts.items).flatMap(
    (key) => new RegExp(`^${repository}/(.*)/manifest\\.json$`).exec(key)?.[1] ?? [],
  );
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

describe("ImagePromotion", () => {
  test("moves an image: the target tag exists, the source tag is gone, and the next plan is empty", async () => {
    await using lab = await openLab();
    const report = await lab.apply(promotion());
    expect(report.outcomes).toEqual([
      { address: "artifacts/ImagePromotion/docker-prod-local/meridian/telemetry:1.5.0", result: "applied" },
    ]);
    expect(report.plan.changes).toMatchObject([{ action: "create" }]);
    expect(tagsIn(lab, "docker-prod-local")).toEqual(["meridian/telemetry/1.5.0"]);
    expect(tagsIn(lab, "docker-dev-local")).not.toContain("meridian/telemetry/1.5.0");
    expect((await lab.plan(promotion())).changes).toEqual([]);
  });

  test("copies an image under another name and tag", async () => {
    await using lab = await openLab();
    await lab.apply(promotion({ targetImage: "telemetry/ü app", targetTag: "stable", copy: true }));
    expect(tagsIn(lab, "docker-prod-local")).toEqual(["telemetry/ü app/stable"]);
    expect(tagsIn(lab, "docker-dev-local")).toContain("meridian/telemetry/1.5.0");
  });

  test("budget: the tags of an image are one read, and a source image is read only if a target tag is missing", async () => {
    await using lab = await openLab();
    const tags = ["1.4.0", "1.5.0"].map((tag) => promotion({ tag, copy: true })).join("");
    expect(results(await lab.apply(tags))).toEqual(["applied", "applied"]);
    expect(lab.asked()).toEqual([
      "listTags",
      "listRepositories",
      "listTags",
      "promoteImage",
      "promoteImage",
      "listTags",
    ]);
    expect((await lab.plan(tags)).changes).toEqual([]);
    expect(lab.asked()).toEqual(["listTags"]);
  });

  test("budget: another tag in the same image is one read", async () => {
    await using lab = await openLab();
    const again = promotion({ targetRepo: source.sourceRepo, targetTag: "stable", copy: true });
    expect(results(await lab.apply(again))).toEqual(["applied"]);
    expect(lab.asked()).toEqual(["listTags", "promoteImage", "listTags"]);
  });

  test("leaves an existing tag as it is, wherever it came from", async () => {
    await using lab = await openLab();
    await lab.apply(promotion({ tag: "1.4.0", targetTag: "stable", copy: true }));
    expect((await lab.plan(promotion({ targetTag: "stable" }))).changes).toEqual([]);
  });

  test("a missing source needs a person, and nothing is sent", async () => {
    await using lab = await openLab();
    for (const spec of [{ tag: "9" }, { image: "none" }, { sourceRepo: "nowhere" }]) {
      const plan = await lab.plan(promotion(spec));
      expect(plan.changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("push it") }]);
      expect([plan.calls, plan.unknown]).toEqual([[], []]);
    }
  });

  test("a chain of copies takes one apply per step", async () => {
    await using lab = await openLab();
    const step = promotion({ targetTag: "tested", copy: true });
    const next = promotion({ sourceRepo: "docker-prod-local", tag: "tested", targetTag: "stable", copy: true });
    const first = await lab.apply(step + next);
    expect(first.plan.changes.map(({ action }) => action)).toEqual(["check", "create"]);
    expect(results(await lab.apply(step + next))).toEqual(["applied"]);
    expect((await lab.plan(step + next)).changes).toEqual([]);
  });

  test.each([
    ["a tag that is moved twice", { targetTag: "a" }, { targetTag: "b" }],
    ["a tag that another resource moves away", {}, { sourceRepo: "docker-prod-local", targetTag: "b" }],
  ])("%s is an error", async (_case, one, other) => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(promotion(one) + promotion(other)))).toMatchObject([{ code: "SP1016" }]);
  });

  test("a target that equals the source is an error", async () => {
    await using lab = await openLab();
    const problems = await problemsOf(lab.plan(promotion({ targetRepo: source.sourceRepo })));
    expect(problems.map(({ message }) => message).join()).toContain("other than the source");
  });

  test.each(["tag", "targetTag"])(
    "a slash in %s is an error, since the image would be moved under another name",
    (field) => {
      const { error } = imagePromotion.spec.safeParse({ ...source, targetRepo: "docker-prod-local", [field]: "a/b" });
      expect(error?.issues).toMatchObject([{ path: [field], message: "expected a tag without /" }]);
    },
  );

  test("a tag that was promoted and is gone again is drift", async () => {
    await using lab = await openLab();
    const { changes } = await lab.plan({ now: promotion(), base: promotion() });
    expect(changes).toMatchObject([{ action: "create", verdict: "drift" }]);
  });

  test("stays when it leaves the manifests, and cannot be absent", async () => {
    await using lab = await openLab();
    expect((await lab.plan({ now: "", base: promotion() })).changes).toEqual([]);
    expect(await problemsOf(lab.plan(promotion({}, { state: "absent" })))).toMatchObject([{ code: "SP1002" }]);
  });

  test("an account that may not promote gets a failed outcome", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const report = await lab.apply(promotion());
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
  });

  test("rejected credentials make the resource unknown, not absent", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "wrong" } });
    const plan = await lab.plan(promotion());
    expect([plan.unknown.map(({ problem }) => problem.code), plan.changes]).toEqual([["SP3003"], []]);
  });
});
