import { describe, expect, test } from "vitest";
import { artifactsService } from "../../../../src/clients/artifacts/service.ts";
import { readerOf } from "../../../../src/clients/connect.ts";
import { own } from "../../../../src/core/text/json.ts";
import { itemProperties } from "../../../../src/reconcilers/artifacts/item-properties.ts";
import { openLab } from "../../../support/lab.ts";
import { artifactsWorld, folder, stored } from "../../../support/worlds/artifacts-fixture.ts";
import { type Fields, item, labWith, propertiesOf, results } from "./items.ts";

describe("ItemProperties", () => {
  test("a recursive change of items that differ cannot be undone: a way back would set the values of one on all", async () => {
    await using lab = await labWith({
      "libs/f": folder(),
      "libs/f/a.jar": stored("a", { build: ["41"] }),
      "libs/f/b.jar": stored("b", { build: ["42"], state: ["candidate"] }),
    });
    const manifest = item({ state: ["final"] }, { path: "f", recursive: true, exclusive: true });
    expect((await lab.apply(manifest)).plan.changes).toMatchObject([{ action: "update", risks: ["irreversible"] }]);
    expect(propertiesOf(lab, "f/b.jar")).toEqual({ state: ["final"] });
    const back = await lab.revert(manifest);
    expect([back.plan.calls, back.left]).toMatchObject([[], [{ code: "SP4007" }]]);
  });

  test("a recursive change of items that are alike is undone as it was", async () => {
    await using lab = await labWith({ "libs/f": folder(), "libs/f/a.jar": stored("a", { foreign: ["x"] }) });
    const manifest = item({ state: ["final"] }, { path: "f", recursive: true });
    expect((await lab.apply(manifest)).plan.changes).toMatchObject([{ action: "create", risks: [] }]);
    const changed = item({ state: ["released"] }, { path: "f", recursive: true });
    const report = await lab.apply(changed);
    expect(report.plan.changes).toMatchObject([{ action: "update", risks: [] }]);
    expect(results(await (await lab.revert(changed)).apply())).toEqual(["applied"]);
    expect(propertiesOf(lab, "f/a.jar")).toEqual({ foreign: ["x"], state: ["final"] });
  });

  test.each([
    ["percent sign", "a%2Fb"],
    ["caret and a low line", "a^2_b"],
  ])("reads everything in a folder whose name has a %s", async (_what, name) => {
    const same = { state: ["final"] };
    const other = {
      [`libs/${name}`]: folder(same),
      [`libs/${name}/c`]: folder(same),
      [`libs/${name}/c/d`]: stored("d"),
    };
    await using lab = await openLab({ world: artifactsWorld(other) });
    expect((await lab.plan(item(same, { path: name, recursive: true }))).changes).toHaveLength(1);
  });

  test("leaves alone a folder that only the query's wildcard for a percent sign finds", async () => {
    const same = { state: ["final"] };
    await using lab = await labWith({ "libs/a%b": folder(same), "libs/a-b/c/d": stored("d") });
    const plan = await lab.plan(item(same, { path: "a%b", recursive: true, exclusive: true }));
    expect([plan.changes, plan.inSync]).toEqual([[], ["artifacts/ItemProperties/libs/a%b"]]);
  });

  test("sets properties only on the folder itself unless recursive, and otherwise on everything in it", async () => {
    const inside = { "libs/d/a": stored("a", { k: ["v"] }), "libs/d/e/b": stored("b", { k: ["w"], own: ["1"] }) };
    await using lab = await labWith({ ...inside, "libs/d": folder({ k: ["v"] }) });
    const whole = (more: Fields) => item({ k: ["v"] }, { path: "d", ...more });
    expect((await lab.plan(whole({}))).changes).toEqual([]);
    lab.asked();
    const report = await lab.apply(whole({ recursive: true }));
    expect(report.plan.changes).toMatchObject([{ fields: [{ path: ["properties", "k"], desired: ["v"] }] }]);
    expect(lab.asked()).toEqual(["getProperties", "query", "setProperties", "getProperties", "query"]);
    expect(["d/a", "d/e", "d/e/b"].map((path) => propertiesOf(lab, path))).toEqual([
      { k: ["v"] },
      { k: ["v"] },
      { k: ["v"], own: ["1"] },
    ]);
    await lab.apply(whole({ recursive: true, exclusive: true }));
    expect(propertiesOf(lab, "d/e/b")).toEqual({ k: ["v"] });
    await lab.apply({ now: "", base: whole({ recursive: true }) });
    expect(["d", "d/a", "d/e/b"].map((path) => propertiesOf(lab, path))).toEqual([{}, {}, {}]);
  });

  /** @see docs/facts.md, artifacts: an item with several properties can be returned in parts */
  test("an item in a folder whose properties an answer has in two parts is one item", async () => {
    const part = (key: string) => ({ repo: "libs", path: "d", name: "a", properties: [{ key, value: "v" }] });
    const answers = {
      query: { results: [part("k"), part("l")] },
      getProperties: { properties: { k: ["v"], l: ["v"] } },
    };
    const read = readerOf(async (operation) => own(answers, operation), { wire: "product" }, artifactsService);
    const spec = itemProperties.spec.parse({
      repo: "libs",
      path: "d",
      properties: { k: ["v"], l: ["v"] },
      recursive: true,
    });
    const found = await itemProperties.observe(read, "", [spec], new Date());
    expect(found.get("libs/d")).toMatchObject({ is: "present", spec, marker: { isMixed: false } });
  });
});
