import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openLab } from "../../../support/lab.ts";
import { artifactsWorld, stored, folder as storedFolder } from "../../../support/worlds/artifacts-fixture.ts";
import { diskWith, itemsOf, outcomesOf, site, siteOf } from "./disk.ts";

describe("DeployedFile", () => {
  test("explodes an archive and marks its folder; budget: 1 getProperties, 1 getItem, 2 writes, 1 getProperties", async () => {
    await using lab = await openLab({ world: artifactsWorld({}) });
    const folder = diskWith({ "site.tgz": siteOf({ "index.html": "<p>", "img/a.png": "png" }) });
    const report = await lab.apply({ now: site({ atomic: true }), folder });
    expect(outcomesOf(report)).toEqual(["applied"]);
    expect(report.plan.calls[0]?.args).toMatchObject({ explode: true, atomic: true, file: join(folder, "site.tgz") });
    expect(lab.asked()).toEqual([
      "getProperties",
      "listRepositories",
      "getItem",
      "deployArchive",
      "setProperties",
      "getProperties",
    ]);
    expect(itemsOf(lab)["libs/site/img/a.png"]?.file).toEqual(stored("png").file);
    expect(itemsOf(lab)["libs/site/img/a.png"]?.properties).toEqual({});
    expect((await lab.plan({ now: site(), folder })).changes).toEqual([]);
  });

  test("stores another archive again, and keeps files that only the first one had", async () => {
    await using lab = await openLab({ world: artifactsWorld({}) });
    await lab.apply({ now: site(), folder: diskWith({ "site.tgz": siteOf({ a: "1", b: "1" }) }) });
    const report = await lab.apply({ now: site(), folder: diskWith({ "site.tgz": siteOf({ a: "2" }) }) });
    expect(report.plan.changes).toMatchObject([{ action: "update" }]);
    expect(lab.asked().slice(-4)).toEqual(["deleteProperties", "deployArchive", "setProperties", "getProperties"]);
    expect(itemsOf(lab)["libs/site/a"]?.file).toEqual(stored("2").file);
    expect(itemsOf(lab)["libs/site/b"]?.file).toEqual(stored("1").file);
  });

  test("repeats a deployment that was interrupted before the mark", async () => {
    await using lab = await openLab({ world: artifactsWorld({ "libs/site/a": stored("1") }) });
    const report = await lab.apply({ now: site(), folder: diskWith({ "site.tgz": siteOf({ a: "1" }) }) });
    expect(report.plan.changes).toMatchObject([{ action: "create" }]);
    expect(outcomesOf(report)).toEqual(["applied"]);
  });

  test("stores the earlier archive again after an apply that was killed while it stored another one", async () => {
    await using lab = await openLab({ world: artifactsWorld({}) });
    const [first, second] = ["1", "2"].map((a) => ({ now: site(), folder: diskWith({ "site.tgz": siteOf({ a }) }) }));
    await lab.apply(first ?? "");
    const isStored = (text: string) => itemsOf(lab)["libs/site/a"]?.file?.sha256 === stored(text).file?.sha256;
    const onStep = () => expect(isStored("2")).toBe(false);
    await expect(lab.another({ onStep }).apply(second ?? "")).rejects.toThrow();
    expect(isStored("2")).toBe(true);
    expect(outcomesOf(await lab.apply(first ?? ""))).toEqual(["applied"]);
    expect(isStored("1")).toBe(true);
  });

  test("leaves the deletion of an archive's files to a person", async () => {
    const marked = storedFolder({ "setpoint.archive.sha256": ["1"] });
    await using lab = await openLab({ world: artifactsWorld({ "libs/site": marked, "libs/site/a": stored("1") }) });
    const plan = await lab.plan({ now: "", base: site(), folder: diskWith({ "site.tgz": siteOf({ a: "1" }) }) });
    expect(plan.changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("manually") }]);
    expect(plan.calls).toEqual([]);
  });

  test("treats an archive that is not exploded like any other file", async () => {
    await using lab = await openLab({ world: artifactsWorld({}) });
    const archive = siteOf({ a: "1" });
    const now = site({ explode: false, path: "site.tgz" });
    await lab.apply({ now, folder: diskWith({ "site.tgz": archive }) });
    expect(itemsOf(lab)["libs/site.tgz"]?.file?.size).toBe(archive.length);
  });
});
