import { describe, expect, test } from "vitest";
import type { LoadOptions } from "../../src/manifests/load.ts";
import { line, loadFiles, memoryFiles, workspaceText } from "./support/workspace.ts";

const account = (name: string) => `kind: Account\nspec: { name: ${name} }\n---\n`;
const product = (name: string) =>
  `kind: Account\nforEach: { a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], b: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }\nspec: { name: "${name}\${each.a}\${each.b}" }\n`;

const limited = (limits: string) => `${workspaceText}limits: { ${limits} }\n`;

async function problemsUnder(
  limits: string,
  files: Readonly<Record<string, string>>,
  options: Partial<LoadOptions> = {},
) {
  const { problems } = await loadFiles({ "setpoint.yaml": limited(limits), ...files }, options);
  return problems.map((problem) => `${problem.place?.file}:${line(problem)}`);
}

/** Files that finish reading in an order of their own. */
function late(files: Readonly<Record<string, string>>, turns: (path: string) => number) {
  const source = memoryFiles(files);
  return {
    ...source,
    async size(path: string) {
      for (let turn = 0; turn < turns(path); turn++) await Promise.resolve();
      return source.size(path);
    },
  };
}

describe("the resources of a workspace", () => {
  test("of small files are counted together, and the file that exceeds the limit is named", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 8 }, (_none, index) => [`m/a${index}.yaml`, product(`n${index}`)]),
    );
    expect(await problemsUnder("resources: 800", files)).toEqual([]);
    expect(await problemsUnder("resources: 799", files)).toEqual([
      "m/a7.yaml:2:10+72 SP1011 With this, the manifests declare more than 799 resources. | Declare less, or raise limits.resources in the workspace file.",
    ]);
  });

  test("are limited to 20,000 unless the workspace sets another limit", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 3 }, (_none, index) => [
        `m/a${index}.yaml`,
        Array.from({ length: 70 }, (_no, part) => product(`n${index}-${part}-`)).join("---\n"),
      ]),
    );
    const { problems } = await loadFiles(files);
    expect(problems.map(({ code, place }) => [code, place?.file])).toEqual([["SP1011", "m/a2.yaml"]]);
  });

  test("are refused at the same place, whichever file is read first", async () => {
    const files = {
      "m/a.yaml": account("a").repeat(1),
      "m/b.yaml": product("b"),
      "m/c.yaml": product("c"),
      "setpoint.yaml": limited("resources: 150"),
    };
    const orders = [
      () => 0,
      (path: string) => (path === "m/c.yaml" ? 0 : 50),
      (path: string) => (path === "m/b.yaml" ? 90 : 3),
    ];
    const found = await Promise.all(
      orders.map((turns) => problemsUnder("resources: 150", files, { source: late(files, turns) })),
    );
    expect(found[0]?.join()).toContain("m/c.yaml:2:10");
    expect(new Set(found.map((problems) => problems.join())).size).toBe(1);
  });

  test("that wait for a live list are counted once, together with the list", async () => {
    const repeated = (name: string) =>
      `kind: Account\nforEach: { from: { operation: listProjects, service: review } }\nspec: { name: "${name}\${each.name}" }\n`;
    const readLiveList: LoadOptions["readLiveList"] = () => async () =>
      Array.from({ length: 40 }, (_none, index) => ({ name: `p${index}` }));
    const files = {
      "m/a.yaml": `${account("a")}${repeated("a")}`,
      "m/b.yaml": repeated("b"),
      "m/c.yaml": account("c"),
    };
    expect(await problemsUnder("resources: 82", files, { readLiveList })).toEqual([]);
    expect((await problemsUnder("resources: 81", files, { readLiveList })).join()).toMatch(
      /^m\/b\.yaml:\S+ SP1011 .* more than 81 resources/,
    );
  });
});

test("bytes are those of manifests, of their expansion and of the files that they name", async () => {
  const long = "x".repeat(600);
  const raise = "| Declare less, or raise limits.bytes in the workspace file.";
  expect(
    (await problemsUnder("bytes: 2000", { "m/a.yaml": account("a"), "m/b.yaml": `# ${"x".repeat(2000)}` })).join(),
  ).toContain(raise);
  const shared = `kind: Account\nspec: { name: a, note: "${"${var.v}".repeat(4)}" }\n`;
  expect(await problemsUnder("bytes: 4000", { "m/a.yaml": shared }, { variables: { v: "x" } })).toEqual([]);
  expect(
    (await problemsUnder("bytes: 4000", { "m/a.yaml": shared }, { variables: { v: long.repeat(2) } })).join(),
  ).toContain(raise);
  const pages = Object.fromEntries(
    Array.from({ length: 5 }, (_none, index) => [
      `m/p${index}.yaml`,
      `kind: Page\nspec: { id: p${index}, file: ./page.md }\n`,
    ]),
  );
  expect(await problemsUnder("bytes: 9000", { ...pages, "m/page.md": long })).toEqual([]);
  expect(await problemsUnder("bytes: 9000", { ...pages, "m/page.md": long.repeat(4) })).toEqual([
    "setpoint.yaml:6:1+6 SP1011 The files that documents name have more than 9,000 bytes in total. | Declare less, or raise limits.bytes in the workspace file.",
  ]);
});

test("the limit on depth can be set", async () => {
  const nested = (levels: number) =>
    `kind: Account\nspec: { name: a, note: ${"[".repeat(levels)}${"]".repeat(levels)} }\n`;
  expect((await problemsUnder("depth: 20", { "m/a.yaml": nested(30) })).join()).toContain("deeper than 20 levels");
  expect((await problemsUnder("depth: 400", { "m/a.yaml": nested(300) })).join()).not.toContain("deeper");
  expect((await problemsUnder("depth: 401", { "m/a.yaml": account("a") })).join()).toContain("SP1002");
});

test("patterns that select from a live list count as work", async () => {
  const readLiveList: LoadOptions["readLiveList"] = () => async () =>
    Array.from({ length: 40 }, (_none, index) => ({ name: `p${index}` }));
  const text = `kind: Account\nforEach: { from: { operation: listProjects, service: review, match: "p*" } }\nspec: { name: "\${each.name}" }\n`;
  expect(await problemsUnder("work: 1000", { "m/a.yaml": text }, { readLiveList })).toEqual([]);
  expect(
    (await problemsUnder("work: 1000", { "m/a.yaml": text.replace("p*", "p".repeat(100)) }, { readLiveList })).join(),
  ).toContain("limits.work");
});

test("ten thousand errors in all files end the reading", async () => {
  const wrong = Array.from({ length: 900 }, (_none, index) => `kind: K${index}\nspec: {}\n---\n`).join("");
  const files = Object.fromEntries(
    Array.from({ length: 13 }, (_none, index) => [`m/a${String(index).padStart(2, "0")}.yaml`, wrong]),
  );
  const problems = await problemsUnder("errors: 5", files);
  expect(problems.filter((problem) => problem.startsWith("m/a11"))).toHaveLength(900);
  expect(problems.filter((problem) => problem.startsWith("m/a12"))).toHaveLength(0);
  expect(problems.filter((problem) => problem.includes("10,000 or more errors"))).toHaveLength(1);
});
