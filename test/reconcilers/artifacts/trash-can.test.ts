import { describe, expect, test } from "vitest";
import { openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { artifactsWorld, folder, stored } from "../../support/worlds/artifacts-fixture.ts";

const trash = {
  "libs/stays": stored("1"),
  "auto-trashcan/libs/a/x": stored("2"),
  "auto-trashcan/libs/a/y+ü": stored("3"),
  "auto-trashcan/libs/b": stored("4"),
  "auto-trashcan/old/c": stored("5"),
};

const can = (spec: Readonly<Record<string, unknown>>) => document("TrashCan", spec);
const lab = () => openLab({ world: artifactsWorld(trash) });

function filesIn({ sandbox }: Awaited<ReturnType<typeof lab>>) {
  return Object.entries(sandbox.state().artifacts.items)
    .flatMap(([key, { file }]) => (file === undefined ? [] : [key]))
    .sort();
}

describe("TrashCan", () => {
  test("budget: emptying is 1 listTrash, 1 emptyTrash, 1 listTrash; the plan says what is deleted permanently", async () => {
    await using desk = await lab();
    const report = await desk.apply(can({ empty: true }));
    expect(report.plan.changes).toMatchObject([
      {
        action: "update",
        risks: ["irreversible"],
        fields: [{ path: ["entries"], live: ["libs", "old"], desired: [] }],
      },
    ]);
    expect(report.outcomes).toMatchObject([{ result: "applied" }]);
    expect(desk.asked()).toEqual(["listTrash", "emptyTrash", "listTrash"]);
    expect(filesIn(desk)).toEqual(["libs/stays"]);
    expect((await desk.plan(can({ empty: true }))).changes).toEqual([]);
  });

  test("deletes a repository without kept files in one call, and does not read one that a pattern keeps", async () => {
    await using desk = await lab();
    await desk.apply(can({ keep: ["l?b*"] }));
    expect(desk.asked()).toEqual(["listTrash", "cleanTrashBuildInfo", "listTrash"]);
    expect(filesIn(desk)).toEqual([
      "auto-trashcan/libs/a/x",
      "auto-trashcan/libs/a/y+ü",
      "auto-trashcan/libs/b",
      "libs/stays",
    ]);
    expect((await desk.plan(can({ keep: ["l?b*/*"] }))).changes).toEqual([]);
  });

  test("cleans a repository with some kept files file by file", async () => {
    await using desk = await lab();
    const manifest = can({ keep: ["libs/*x", "old"] });
    const report = await desk.apply(manifest);
    expect(report.plan.changes).toMatchObject([{ fields: [{ live: ["libs/a/y+ü", "libs/b"] }] }]);
    expect(desk.asked()).toEqual([
      "listTrash",
      "listFolder",
      "cleanTrashItem",
      "cleanTrashItem",
      "listTrash",
      "listFolder",
    ]);
    expect(filesIn(desk)).toEqual(["auto-trashcan/libs/a/x", "auto-trashcan/old/c", "libs/stays"]);
    expect((await desk.plan(manifest)).changes).toEqual([]);
  });

  test("a pattern for a folder that does not exist keeps nothing, and the whole repository is deleted", async () => {
    await using desk = await lab();
    const plan = await desk.plan(can({ keep: ["libs/none/*", "old/c"] }));
    expect(plan.calls.map(({ operation, args }) => [operation, args])).toEqual([
      ["cleanTrashBuildInfo", { buildInfoRepoKey: "libs" }],
    ]);
  });

  test("does not delete a repository of which no file is listed: it may have one that a pattern keeps", async () => {
    await using desk = await openLab({ world: artifactsWorld({ "auto-trashcan/libs/a": folder() }) });
    const manifest = can({ keep: ["libs/a/x"] });
    expect((await desk.plan(manifest)).changes).toEqual([]);
    expect(desk.asked()).toEqual(["listTrash", "listFolder"]);
  });

  test("leaves the trash alone once it has left the manifests", async () => {
    await using desk = await lab();
    expect((await desk.plan({ now: "", base: can({ empty: true }) })).changes).toEqual([]);
  });

  test("is unknown to an account that may not see the trash", async () => {
    await using desk = await openLab({ world: artifactsWorld(trash), as: { username: "jdoe", secret: "jdoe-secret" } });
    const plan = await desk.plan(can({ empty: true }));
    expect(plan.unknown).toMatchObject([{ problem: { code: "SP3004" } }]);
    expect(plan.calls).toEqual([]);
  });

  test.each([{}, { empty: false }, { empty: true, keep: ["a"] }, { keep: [] }, { keep: ["/a"] }])(
    "%j is an error",
    async (spec) => {
      await using desk = await lab();
      expect(await problemsOf(desk.plan(can(spec)))).not.toEqual([]);
    },
  );
});
