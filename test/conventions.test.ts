import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { allServices } from "../src/clients/find-service.ts";
import { rolesOf } from "../src/core/kind.ts";
import { problemCodes } from "../src/core/problem.ts";
import { isObject } from "../src/core/text/json.ts";
import { load } from "../src/manifests/load.ts";
import { kinds } from "../src/reconcilers/registry.ts";
import { inMemory } from "./support/in-memory.ts";

const root = new URL("../", import.meta.url).pathname;

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length));
}

function textOf(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

function linesOf(file: string): number {
  return textOf(file).split("\n").length - 1;
}

/** The file name of a kind: `analysis-role-assignment` for `AnalysisRoleAssignment`. */
function kebab(kind: string): string {
  return kind.replace(/(?<!^)[A-Z]/g, "-$&").toLowerCase();
}

const all = [...kinds.values()];
const sources = filesIn("src").filter((file) => file.endsWith(".ts"));

describe("every kind", () => {
  test("has one source file, under 200 lines", () => {
    const found = all.map(({ kind }) => ({
      kind,
      sources: sourcesOf(kind).map((path) => `src/reconcilers/${path}.ts`),
    }));
    expect(found.filter(({ sources: [source = "", ...more] }) => source === "" || more.length > 0)).toEqual([]);
    expect(found.flatMap(({ sources }) => sources).filter((file) => linesOf(file) >= 200)).toEqual([]);
  });

  test("has a test at the path that mirrors its source", () => {
    const tests = all.flatMap(({ kind }) => sourcesOf(kind)).map((path) => `test/reconcilers/${path}.test.ts`);
    expect(tests.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test("has an example that loads without a problem and declares nothing else", async () => {
    const pages = filesIn("examples/kinds/files");
    const loaded = await Promise.all(
      all.map(async (kindOf) => {
        const services = rolesOf(kindOf).map((role) => [
          role,
          { type: productOf(role), url: `https://${role}.example` },
        ]);
        const source = inMemory({
          "setpoint.yaml": `version: 1\nservices: ${JSON.stringify(Object.fromEntries(services))}\n`,
          [`manifests/${kindOf.kind}.yaml`]: textOf(`examples/kinds/${kindOf.kind}.yaml`),
          ...Object.fromEntries(pages.map((file) => [`manifests/files/${basename(file)}`, textOf(file)])),
        });
        const { resources, problems } = await load({
          source,
          kinds,
          types: allServices,
          workspaceFile: "setpoint.yaml",
          variables: {},
        });
        return { problems, declared: [...new Set(resources.map(({ kind }) => kind))] };
      }),
    );
    expect(loaded).toEqual(all.map(({ kind }) => ({ problems: [], declared: [kind] })));
  });

  test("has a page in the docs with its name at the top", () => {
    const untitled = all.filter(({ kind }) => !new RegExp(`^# ${kind}$`, "m").test(textOf(`docs/kinds/${kind}.md`)));
    expect(untitled.map(({ kind }) => kind)).toEqual([]);
  });
});

/** Every file that could be the only source of a kind, below `src/reconcilers/` and without its ending. */
function sourcesOf(kind: string): readonly string[] {
  const name = kebab(kind);
  return sources.flatMap((file) => {
    const [, path = "", parent, last] = /^src\/reconcilers\/([^/]+\/(?:([^/]+)\/)?([^/]+))\.ts$/.exec(file) ?? [];
    return last === name && (parent === undefined || parent === name) ? [path] : [];
  });
}

/** The product of a role, as a workspace names it. */
function productOf(role: string): string {
  const [type = ""] = allServices.find((service) => service.role === role)?.types ?? [];
  return type;
}

/** The kinds for which the schema has branches. */
const branches = branchesOf(JSON.parse(textOf("schema/manifest.schema.json")));

function branchesOf(schema: unknown): readonly unknown[] {
  const all = isObject(schema) && Array.isArray(schema.allOf) ? schema.allOf : [];
  return all.flatMap((branch: unknown) => {
    const { properties } = isObject(branch) && isObject(branch.if) ? branch.if : {};
    return isObject(properties) && isObject(properties.kind) ? [properties.kind.const] : [];
  });
}

describe("the registry", () => {
  test("has every kind that has a source file, by its own name", () => {
    const declared = sources
      .filter((file) => file.startsWith("src/reconcilers/"))
      .flatMap((file) => [...textOf(file).matchAll(/^ {2}kind: "(\w+)",$/gm)].map(([, kind]) => kind));
    expect([...kinds.keys()].toSorted()).toEqual(declared.toSorted());
    for (const [name, { kind }] of kinds) expect(kind).toBe(name);
  });

  test("has no schema branch, example or docs page for a kind that does not exist", () => {
    const documented = filesIn("docs/kinds").map((file) => basename(file, ".md"));
    const shown = filesIn("examples/kinds").filter((file) => dirname(file) === "examples/kinds");
    expect(branches.toSorted()).toEqual([...kinds.keys()].toSorted());
    expect(documented.filter((name) => name !== "README").toSorted()).toEqual([...kinds.keys()].toSorted());
    expect(shown.map((file) => basename(file, ".yaml")).toSorted()).toEqual([...kinds.keys()].toSorted());
  });
});

describe("the sources", () => {
  const roles: readonly string[] = allServices.map(({ role }) => role);

  test("are found", () => {
    expect(sources.length).toBeGreaterThan(100);
  });

  test("are files of fewer than 300 lines each", () => {
    expect(sources.filter((file) => linesOf(file) >= 300)).toEqual([]);
  });

  test("are in folders of at most 20 entries each, apart from the folders of services", () => {
    const folders = [...new Set(filesIn("src").map(dirname))];
    const entriesOf = (folder: string) => readdirSync(join(root, folder)).filter((name) => !roles.includes(name));
    expect(folders.filter((folder) => entriesOf(folder).length > 20)).toEqual([]);
  });

  test("export each name from one file: it has one meaning, or one for each service", () => {
    const declared = /^export (?:abstract )?(?:async )?(?:type|interface|const|function\*?|class) (\w+)/gm;
    const homes = filesIn("src")
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => {
        const [, folder = ""] = /^src\/(?:clients|reconcilers|sandbox)\/([^/]+)\//.exec(file) ?? [];
        const names = new Set(Array.from(textOf(file).matchAll(declared), ([, name = ""]) => name));
        return [...names].map((name) => ({ name, file, role: roles.includes(folder) ? folder : undefined }));
      });
    const ambiguous = [...Map.groupBy(homes, ({ name }) => name).values()]
      .filter((same) => {
        const services = new Set(same.map(({ role }) => role));
        return same.length > services.size || (same.length > 1 && services.has(undefined));
      })
      .map((same) => same.map(({ name, file }) => `${name} in ${file}`));
    expect(homes.length).toBeGreaterThan(1000);
    expect(ambiguous).toEqual([]);
  });

  test("are pure where decisions are made: no clock, disk, network or environment in core, planner, reconcilers and reports", () => {
    const pure = sources.filter((file) => /^src\/(core|planner|reconcilers|reports)\//.test(file));
    const impure = /from "node:(?!crypto"|util"|path")|\bprocess\.|\bDate\.now\(|new Date\(\)|Math\.random\(|\bfetch\(/;
    expect(pure.filter((file) => impure.test(textOf(file)))).toEqual([]);
  });

  test("read JSON that others might have written with the one reader that refuses depth", () => {
    // What setpoint has just written, or its package contains, or a seal proves to be its own; and one string, which has no depth.
    const own = /JSON\.parse\(JSON\.stringify\(/g;
    expect(sources.filter((file) => textOf(file).replace(own, "").includes("JSON.parse(")).toSorted()).toEqual([
      "src/cli/main.ts",
      "src/cli/start.ts",
      "src/core/text/json-text.ts",
      "src/engine/readings/readings.ts",
      "src/manifests/new-workspace/merge.ts",
      "src/manifests/trust/rule-changes.ts",
      "src/manifests/yaml/plain-text.ts",
      "src/planner/saved/manifests.ts",
    ]);
  });

  test("quote outside text in messages with `quote`, which cuts it and escapes what a terminal would obey", () => {
    const raw = /\b(?:message|hint): .*JSON\.stringify\(\w+(?:\.\w+)*\)/;
    const found = sources.filter((file) => !file.startsWith("src/sandbox/") && raw.test(textOf(file)));
    // A line of YAML to copy.
    expect(found).toEqual(["src/cli/commands/manifests/init.ts"]);
  });

  test("touch the disk only in the parts that deal with files", () => {
    const touching = sources.filter((file) => /from "node:fs(\/promises)?"/.test(textOf(file)));
    expect(touching.filter((file) => !/^src\/(cli|engine|manifests|sandbox|clients)\//.test(file))).toEqual([]);
  });
});

test.each(["test", "bench", "scripts"])(
  "%s has only files of fewer than 300 lines, so that a topic has its own",
  (folder) => {
    const files = filesIn(folder).filter((file) => /\.(?:[jt]sx?|mjs)$/.test(file));
    expect(files).not.toEqual([]);
    expect(files.filter((file) => linesOf(file) >= 300)).toEqual([]);
  },
);

describe("problem codes", () => {
  const used = new Set(
    sources
      .filter((file) => file !== "src/core/problem.ts")
      .flatMap((file) => [...textOf(file).matchAll(/\bSP\d{4}\b/g)].map(([code]) => code)),
  );

  test("exist if a source file names them", () => {
    expect([...used].filter((code) => !Object.hasOwn(problemCodes, code))).toEqual([]);
  });

  test("are used by a source file if they exist", () => {
    expect(Object.keys(problemCodes).filter((code) => !used.has(code))).toEqual([]);
  });
});
