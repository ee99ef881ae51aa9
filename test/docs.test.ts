import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { allServices } from "../src/clients/find-service.ts";
import { load } from "../src/manifests/load.ts";
import { editorFiles } from "../src/manifests/new-workspace/new-files.ts";
import { kinds } from "../src/reconcilers/registry.ts";
import { defaultWorld } from "../src/sandbox/default-world.ts";
import { environmentFor } from "../src/sandbox/server/environment.ts";
import { serve, setpoint } from "./support/commands.ts";
import { inMemory } from "./support/in-memory.ts";

const readme = readFileSync("README.md", "utf8");

test("every page links only to files and headings that exist", () => {
  const links = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"]).flatMap((page) =>
    [...withoutCode(readFileSync(page, "utf8")).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].map(
      ([link, path = "", anchor = ""]) => ({ page, link, path, anchor }),
    ),
  );
  expect(links.length).toBeGreaterThan(50);
  const lost = links.filter(({ page, path, anchor }) => {
    const target = path === "" ? page : join(dirname(page), path);
    return !existsSync(target) || (anchor !== "" && !anchorsOf(target).includes(anchor));
  });
  expect(lost.map(({ page, link }) => `${page}: ${link}`)).toEqual([]);
});

test("every source file that a page names exists", () => {
  const named = globSync(["*.md", "docs/**/*.md"]).flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/`([\w-]+\/[\w./-]+\.tsx?)`/g)].map(([, file = ""]) => ({ page, file })),
  );
  expect(named.length).toBeGreaterThan(30);
  const lost = named.filter(({ file }) => !["", "src", "test"].some((folder) => existsSync(join(folder, file))));
  expect(lost.map(({ page, file }) => `${page}: ${file}`)).toEqual([]);
});

test("every claim of the threat model names tests that exist", () => {
  const rows = [...readFileSync("docs/threat-model.md", "utf8").matchAll(/^\| (?!it |---)(.*) \| (.*) \|$/gm)];
  expect(rows.length).toBeGreaterThan(30);
  const lost = rows.filter(([, , test = ""]) => {
    const [, file = "", titles = ""] = /^`(\S+)`(?:: "(.*)")?$/.exec(test) ?? [];
    return !existsSync(file) || !titles.split('", "').every((title) => readFileSync(file, "utf8").includes(title));
  });
  expect(lost.map(([row]) => row)).toEqual([]);
});

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, "").replaceAll(/`[^`\n]+`/g, "");
}

/** The headings of a page as links name them. */
function anchorsOf(page: string): readonly string[] {
  const titles = readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm);
  return [...titles].map(([, title = ""]) => title.toLowerCase().replaceAll(" ", "-"));
}

/** The fenced blocks of a page in one language. */
function blocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);
}

test("docs/manifests.md shows a valid workspace and valid manifests", async () => {
  const [workspace = "", ...manifests] = blocks(readFileSync("docs/manifests.md", "utf8"), "yaml").slice(1);
  const files = manifests.map((text, index) => [`manifests/${index}.yaml`, text]);
  const source = inMemory({ "setpoint.yaml": workspace, ...Object.fromEntries(files) });
  const { problems, resources } = await load({
    source,
    kinds,
    types: allServices,
    workspaceFile: "setpoint.yaml",
    variables: {},
  });
  expect(problems).toEqual([]);
  expect(resources).toHaveLength(13);
});

test("the README and docs/manifests.md name every product", () => {
  for (const page of ["README.md", "docs/manifests.md"]) {
    const text = readFileSync(page, "utf8").toLowerCase();
    expect([page, ...allServices.flatMap(({ types }) => types).filter((type) => !text.includes(type))]).toEqual([page]);
  }
});

test("docs/README.md links to every page of the folder, its recipes and the lists of the others", () => {
  const index = readFileSync("docs/README.md", "utf8");
  const pages = globSync(["docs/*.md", "docs/recipes/*.md", "!docs/README.md"]);
  expect(pages.filter((page) => !index.includes(`](${relative("docs", page)})`))).toEqual([]);
});

test("docs/sandbox.md lists everyone who can sign in", () => {
  const may = { admin: "everything", reader: "read everything", member: "read what is public" };
  const rows = defaultWorld().accounts.map(
    ({ username, secret, rights }) => `| \`${username}\` | \`${secret}\` | ${may[rights]} |`,
  );
  const shown = readFileSync("docs/sandbox.md", "utf8").match(/^\| `\w+` \| `[\w-]+` \| .*$/gm) ?? [];
  expect(shown.toSorted()).toEqual(rows.toSorted());
});

test("docs/saved-plans.md names every member of a plan", () => {
  const schema: { readonly properties: Readonly<Record<string, { readonly properties?: object }>> } = JSON.parse(
    readFileSync("schema/plan.schema.json", "utf8"),
  );
  const page = readFileSync("docs/saved-plans.md", "utf8");
  const members = [...Object.keys(schema.properties), ...Object.keys(schema.properties.saved?.properties ?? {})];
  expect(members.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("docs/editors.md shows the settings that init writes", () => {
  const [settings] = editorFiles(["manifests/**/*.yaml"], "node_modules/setpoint/schema");
  const [shown = ""] = blocks(readFileSync("docs/editors.md", "utf8"), "json");
  expect(JSON.parse(shown)).toEqual(JSON.parse(settings?.content ?? ""));
});

test("docs/dependencies.md has a line for every dependency, and for nothing else", () => {
  const { dependencies, devDependencies }: Record<"dependencies" | "devDependencies", object> = JSON.parse(
    readFileSync("package.json", "utf8"),
  );
  const rows = [...readFileSync("docs/dependencies.md", "utf8").matchAll(/^\| ([@a-z].*?) \|/gm)];
  const named = rows.flatMap(([, names = ""]) => names.split(", ")).filter((name) => name !== "package");
  expect(named.sort()).toEqual([...Object.keys(dependencies), ...Object.keys(devDependencies)].sort());
});

describe("the README", () => {
  test("is short", () => {
    expect(readme.split("\n").length).toBeLessThan(150);
  });

  test("shows a first manifest that is valid", async () => {
    const [workspace = "", manifest = ""] = blocks(readme, "yaml");
    const source = inMemory({ "setpoint.yaml": workspace, "manifests/locks.yaml": manifest });
    const { problems, resources } = await load({
      source,
      kinds,
      types: allServices,
      workspaceFile: "setpoint.yaml",
      variables: {},
    });
    expect(problems).toEqual([]);
    expect(resources.map(({ address }) => address)).toEqual(["review/BranchLock/platform/core:release-2.4"]);
  });

  test("shows what drift prints after a lock and a page were changed manually", async () => {
    await using sandbox = await serve([]);
    const env = environmentFor(sandbox.url);
    const tour = ["--workspace", "examples/tour", "--var", `port=${new URL(sandbox.url).port}`];
    await setpoint(["apply", "--yes", ...tour], { env });
    const remove = { "refs/heads/release-2.4": { permissions: { push: { rules: {} } } } };
    await sandbox.request(
      "POST",
      "/review/a/projects/platform%2Fui/access",
      JSON.stringify({ remove, message: "Just this once" }),
    );
    const path = "/wiki/rest/api/content/48213";
    const page: {
      readonly title: string;
      readonly version: { readonly number: number };
      readonly body: { readonly storage: { readonly value: string } };
    } = JSON.parse(await (await sandbox.request("GET", `${path}?expand=body.storage,version`)).text());
    const value = page.body.storage.value.replace("15 March", "22 March");
    const edited = {
      type: "page",
      title: page.title,
      version: { number: page.version.number + 1 },
      body: { storage: { value, representation: "storage" } },
    };
    await sandbox.request("PUT", path, JSON.stringify(edited));
    const { code, out } = await setpoint(["drift", ...tour], { env });
    expect(code).toBe(2);
    const [shown = ""] = blocks(readme, "text");
    // A port has four or five digits, which shift the text to its right; the time is that of the run.
    const plain = (text: string) =>
      text
        .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:…")
        .replaceAll(/[-\d]{10} [:\d]{5} UTC/g, "… UTC")
        .replaceAll(/--until \S+/g, "--until …")
        .replaceAll(/ --workspace examples\/tour --var port=\d+/g, "")
        .replaceAll(/ {2,}/g, "  ");
    expect(plain(out).trim()).toBe(plain(shown).trim());
  });
});
