import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PropertySet } from "../../../src/clients/artifacts/arguments.ts";
import { itemProperties } from "../../../src/reconcilers/artifacts/item-properties.ts";
import { problemsOf } from "../../support/lab.ts";
import { artifactsWorld, stored } from "../../support/worlds/artifacts-fixture.ts";
import { item, labWith, propertiesOf, results } from "./item-properties/items.ts";

const hard = fc.constantFrom(..."\\,|=;:.'\"()[]{}%7C+&?#/ü→ \n\t😀a$_-<>~^!@*`±§");

describe("ItemProperties", () => {
  test("sets what differs, keeps what no manifest names, and then has nothing left to do", async () => {
    await using lab = await labWith({
      "libs/a.jar": stored("a", { state: ["new"], size: ["1", "2"], foreign: ["x"] }),
    });
    const manifest = item({ state: ["approved"], size: ["2", "1"] });
    const report = await lab.apply(manifest);
    expect(report.plan.changes).toMatchObject([
      { action: "update", fields: [{ path: ["properties", "state"], live: ["new"], desired: ["approved"] }] },
    ]);
    expect(report.plan.calls.map(({ args }) => args)).toEqual([
      { repoKey: "libs", path: "a.jar", properties: { state: ["approved"] }, recursive: 0 },
    ]);
    expect(results(report)).toEqual(["applied"]);
    expect(propertiesOf(lab)).toEqual({ state: ["approved"], size: ["1", "2"], foreign: ["x"] });
    expect((await lab.plan(manifest)).changes).toEqual([]);
  });

  test("budget: 200 items are one query, one write each, and one query to verify", async () => {
    const paths = Array.from({ length: 200 }, (_, n) => `dir/f${n}`);
    const items = Object.fromEntries(paths.map((path, n) => [`libs/${path}`, stored(path, n % 2 ? { k: ["v"] } : {})]));
    await using lab = await labWith(items);
    const all = paths.map((path) => item({ k: ["v"] }, { path })).join("");
    expect(results(await lab.apply(all))).toEqual(Array(100).fill("applied"));
    expect(lab.asked()).toEqual(["query", ...Array(100).fill("setProperties"), "query"]);
    await lab.plan(all);
    expect(lab.asked()).toEqual(["query"]);
  });

  test("budget: items with long paths take as many queries as the length of their text requires", async () => {
    const paths = Array.from({ length: 60 }, (_, n) => `${"long-folder-name/".repeat(12)}${n}/f.jar`);
    await using lab = await labWith(
      Object.fromEntries(paths.map((path) => [`libs/${path}`, stored(path, { k: ["v"] })])),
    );
    const plan = await lab.plan(paths.map((path) => item({ k: ["v"] }, { path })).join(""));
    expect([plan.changes, plan.unknown, plan.inSync.length]).toEqual([[], [], 60]);
    expect(lab.asked()).toEqual(Array(3).fill("query"));
  });

  test("budget: a single item is one read, and an item that no query finds is read separately", async () => {
    await using lab = await labWith({
      "libs/a.jar": stored("a", { k: ["v"] }),
      "libs/b.jar": stored("b", { k: ["v"] }),
    });
    expect((await lab.plan(item({ k: ["v"] }))).inSync).toHaveLength(1);
    expect(lab.asked()).toEqual(["getProperties"]);
    const virtual = item({ k: ["v"] }, { repo: "all", path: "b.jar" });
    expect((await lab.plan(item({ k: ["v"] }) + virtual)).inSync).toHaveLength(2);
    expect(lab.asked()).toEqual(["query", "getProperties"]);
  });

  test("sets the properties of an item that has none, whatever error the service returns for it", async () => {
    await using lab = await labWith({ "libs/a.jar": stored("a") });
    const report = await lab.apply(item({ k: ["v"] }));
    expect(report.plan.changes).toMatchObject([{ action: "create" }]);
    expect(lab.asked()).toEqual(["getProperties", "listRepositories", "getItem", "setProperties", "getProperties"]);
    expect(propertiesOf(lab)).toEqual({ k: ["v"] });
  });

  test("an item that does not exist needs a person", async () => {
    await using lab = await labWith({});
    const plan = await lab.plan(item({ k: ["v"] }) + item({ k: ["v"] }, { path: "b.jar" }));
    expect(plan.changes).toMatchObject(
      Array(2).fill({ action: "check", instruction: expect.stringContaining("deploy it first") }),
    );
    expect(plan.calls).toEqual([]);
  });

  test("exclusive removes what no manifest names, but not what setpoint or the service notes itself", async () => {
    const mark = { "setpoint.archive.sha256": ["1"], "artifactory.internal.etag": ["e"] };
    await using lab = await labWith({ "libs/a.jar": stored("a", { ...mark, k: ["v"], foreign: ["x"] }) });
    const exclusive = item({ k: ["v"] }, { exclusive: true });
    expect(results(await lab.apply(exclusive))).toEqual(["applied"]);
    expect(lab.asked()).toEqual(["getProperties", "deleteProperties", "getProperties"]);
    expect(propertiesOf(lab)).toEqual({ ...mark, k: ["v"] });
    expect((await lab.plan(exclusive)).changes).toEqual([]);
  });

  test("removes a name that left the manifest if there is a base, and keeps it otherwise", async () => {
    await using lab = await labWith({ "libs/a.jar": stored("a", { k: ["v"], gone: ["x"] }) });
    expect((await lab.plan(item({ k: ["v"] }))).changes).toEqual([]);
    await lab.apply({ now: item({ k: ["v"] }), base: item({ k: ["v"], gone: ["x"] }) });
    expect(propertiesOf(lab)).toEqual({ k: ["v"] });
  });

  test("removes only its own names when it is deleted", async () => {
    await using lab = await labWith({ "libs/a.jar": stored("a", { k: ["v"], foreign: ["x"] }) });
    await lab.apply({ now: "", base: item({ k: ["v"] }) });
    expect(propertiesOf(lab)).toEqual({ foreign: ["x"] });
    const absent = item({ k: ["v"] }, {}, { state: "absent" });
    expect((await lab.plan(absent)).changes).toEqual([]);
    await lab.apply(item({ foreign: ["y"] }, {}, { state: "absent" }));
    expect(propertiesOf(lab)).toEqual({});
  });

  test("reports which side changed: the manifest, the service or both", async () => {
    await using lab = await labWith({ "libs/a.jar": stored("a", { k: ["live"] }) });
    const verdicts = async (now: string, base: string) =>
      (await lab.plan({ now: item({ k: [now] }), base: item({ k: [base] }) })).changes.map(({ verdict }) => verdict);
    expect(await verdicts("new", "live")).toEqual(["pending"]);
    expect(await verdicts("new", "new")).toEqual(["drift"]);
    expect(await verdicts("new", "old")).toEqual(["conflict"]);
  });

  test("under wire: documented, is unknown, with the reason, and requests nothing", async () => {
    await using lab = await labWith({ "libs/a.jar": stored("a") }, { wire: "documented" });
    const plan = await lab.plan(item({ k: ["v"] }) + item({ k: ["v"] }, { path: "b.jar" }));
    expect(plan.unknown.map(({ problem }) => problem)).toMatchObject(
      Array(2).fill({ code: "SP3007", message: expect.stringContaining("wire: documented") }),
    );
    expect([plan.changes, lab.asked()]).toEqual([[], []]);
  });

  test.each([
    ["a name that does not begin with a letter", { "1a": ["x"] }],
    ["a name of more than 255 characters", { [`a${"b".repeat(255)}`]: ["x"] }],
    ["a value that the service would cut", { a: ["x".repeat(2401)] }],
  ])("%s is refused", async (_case, properties) => {
    await using lab = await labWith({});
    expect(await problemsOf(lab.plan(item(properties)))).toMatchObject([{ code: "SP1002" }]);
  });

  test("a service that rejects the credentials makes them unknown", async () => {
    await using lab = await labWith({}, { as: { username: "admin", secret: "wrong" } });
    expect((await lab.plan(item({ k: ["v"] }))).unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
  });

  test("a path of Windows is kept: the service reads no escape in it", async () => {
    await using lab = await labWith({ "libs/a.jar": stored("a") });
    const declared = item({ from: ["C:\\build\\,x", "\\\\host\\share"] });
    expect(results(await lab.apply(declared))).toEqual(["applied"]);
    expect(propertiesOf(lab)).toEqual({ from: ["C:\\build\\,x", "\\\\host\\share"] });
    expect((await lab.plan(declared)).changes).toEqual([]);
  });

  test("any properties of any item are read back as they were written", async () => {
    const part = fc.string({ unit: hard, minLength: 1, maxLength: 6 });
    const named = fc.record({
      path: part.map((text) => text.replaceAll("/", "-")).filter((text) => !/[\p{Cc}]|^\.\.?$/u.test(text)),
      properties: fc.dictionary(
        part.map((text) => `a${text.replace(/[^\\p{L}:.'"?]/gu, "_")}`),
        fc.array(part, { minLength: 1 }),
        {
          minKeys: 1,
          maxKeys: 3,
          noNullPrototype: true,
        },
      ),
    });
    const legal = named
      .filter((spec) => !JSON.stringify(spec).includes("${"))
      .filter((spec) => itemProperties.spec.safeParse({ repo: "libs", ...spec }).success);
    await using lab = await labWith({});
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(legal, { minLength: 1, maxLength: 3, selector: ({ path }) => path }),
        async (all) => {
          lab.sandbox.change((world) => {
            world.artifacts = artifactsWorld(
              Object.fromEntries(all.map(({ path }) => [`libs/${path}`, stored(path)])),
            ).artifacts;
          });
          const manifest = all.map(({ path, properties }) => item(properties, { path })).join("");
          expect(new Set(results(await lab.apply(manifest)))).toEqual(new Set(["applied"]));
          for (const { path, properties } of all)
            expect(propertiesOf(lab, path)).toEqual(
              Object.fromEntries(
                Object.entries(properties).map(([name, values]) => [name, [...new Set(values)].sort()]),
              ),
            );
          expect((await lab.plan(manifest)).changes).toEqual([]);
        },
      ),
      { numRuns: 15 },
    );
  });

  test("a manifest can state exactly what the client can send", () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.constantFrom("", "a"), fc.string({ unit: hard, maxLength: 3 })).map((parts) => parts.join("")),
        fc.string({ unit: hard, minLength: 1, maxLength: 3 }),
        (name, value) => {
          const properties = { [name]: [value] };
          const isLegal = itemProperties.spec.safeParse({ repo: "r", path: "p", properties }).success;
          expect(isLegal).toBe(name !== "__proto__" && PropertySet.safeParse(properties).success);
        },
      ),
      {
        examples: [
          ["a b", "c"],
          ["a", "b;c"],
          ["setpoint", "x"],
          ["aü:1", "|"],
          ["1a", "x"],
        ],
      },
    );
  });

  test.each([
    ["no property", { properties: {} }],
    ["no value", { properties: { k: [] } }],
    ["an empty value", { properties: { k: [""] } }],
    ["a name of setpoint's own", { properties: { "setpoint.x": ["1"] } }],
    ["a path with an empty name", { path: "a//b" }],
    ["a path that leads out", { path: "../b" }],
  ])("%s is an error", (_what, wrong) => {
    const spec = { repo: "libs", path: "a", properties: { k: ["v"] }, ...wrong };
    expect(itemProperties.spec.safeParse(spec).success).toBe(false);
  });
});
