import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { sinkFiles } from "../../../src/core/sink.ts";
import { diskFiles, type FileSource } from "../../../src/manifests/sources/files.ts";
import { gitFiles } from "../../../src/manifests/sources/git-files.ts";
import { readable } from "../../../src/manifests/sources/readable.ts";
import { openRepository } from "../../../src/manifests/sources/repository.ts";
import { kinds as registry } from "../../../src/reconcilers/registry.ts";
import { temporaryFolder } from "../../support/commands.ts";
import { type HostileRepository, hostileRepository } from "../../support/hostile-repository.ts";
import { loadFiles, workspaceText } from "../support/workspace.ts";

let hostile: HostileRepository;
let atRef: FileSource;

beforeAll(async () => {
  hostile = await hostileRepository({
    honest: {
      "tools/setpoint.yaml": workspaceText,
      "tools/m/page.md": "honest\n",
      "tools/.env": "dot\n",
      "tools/.config/page.md": "dot\n",
      "outer.md": "outer\n",
    },
  });
  // Files left by runs, and files that a person keeps there.
  for (const [path, content] of Object.entries({
    "tools/.setpoint/runs/a.jsonl": "journal\n",
    "tools/m/.git/config": "embedded\n",
    "tools/m/.GIT/config": "embedded\n",
    "tools/secrets/token": "delivered\n",
  })) {
    await mkdir(dirname(join(hostile.path, path)), { recursive: true });
    await writeFile(join(hostile.path, path), content);
  }
  await symlink(hostile.outside, join(hostile.tools, "m/link.md"));
  await symlink("../../.git", join(hostile.tools, "m/folder"));
  await symlink("../secrets/token", join(hostile.tools, "m/token"));
  atRef = await gitFiles(await openRepository(hostile.tools, "setpoint.yaml"), "HEAD");
});

afterAll(() => hostile[Symbol.asyncDispose]());

const denied = [
  ".git/config",
  ".GIT/config",
  ".git /config",
  "git~1/config",
  "m/../.git/config",
  "m/.git/config",
  ".\u200cgit/config",
  ".git::$INDEX_ALLOCATION/config",
  "../.git/config",
  "../outer.md",
  "m/../../outer.md",
  "..",
  ".setpoint/runs/a.jsonl",
  ".Setpoint/runs/a.jsonl",
  "secrets/token",
  "secrets/../secrets/token",
  "SECRETS/Token",
  ".env",
  "./.env",
  ".config/page.md",
  "m/link.md",
  "m/folder/config",
  "m/token",
  "m\\..\\..\\outer.md",
  "m/page.md\0.png",
  "/etc/hostname",
  "C:/outer.md",
];

test.each(denied)("%j is never read, from disk or at a ref", async (path) => {
  for (const source of [diskFiles(hostile.tools), atRef]) {
    const files = readable(source, { sinks: ["secrets/token"] });
    await expect(files.read(path)).rejects.toThrow(/^it is |^a secret is delivered/);
    await expect(files.size(path)).rejects.toThrow(/^it is |^a secret is delivered/);
    // Either this throws or, at a ref, the path is not a file.
    const digest = await files.digest(path).catch(String);
    expect(digest ?? "Error: it is").toMatch(/^Error: (it is|a secret is delivered)/);
    expect(await files.check(path).catch(String)).toBe(digest);
  }
});

test("no glob lists files that are not read", async () => {
  const files = readable(diskFiles(hostile.tools), { sinks: ["secrets/token"] });
  const globs = ["**/*", "**/.*", ".*/**", ".git/**", ".GIT/**", ".setpoint/**", "secrets/*", "../*", "m/folder/*"];
  const found = await files.list(globs);
  const hidden = found.filter((path) => /(^|\/)\.|secrets|link|folder|outer/.test(path));
  expect(hidden).toEqual(["m/folder", "m/link.md"]);
  // A link is listed so that it is not overlooked, but it is not read.
  for (const path of hidden) await expect(files.read(path)).rejects.toThrow("through a link");
  expect(found).toContain("m/page.md");
});

test("a file whose name is a path on other systems is not left out silently: its resources would look deleted", async () => {
  await using folder = await temporaryFolder();
  await folder.write("m/a.yaml", "");
  const files = readable(diskFiles(folder.path), {});
  expect(await files.list(["m/*.yaml"])).toEqual(["m/a.yaml"]);
  await folder.write("m/b\\c.yaml", "");
  await expect(files.list(["m/*.yaml"])).rejects.toThrow('"m/b\\\\c.yaml" is a path on some systems');
  expect(await readable({ ...diskFiles(folder.path), commit: "0" }, {}).list(["m/*.yaml"])).toEqual(["m/a.yaml"]);
});

test("the workspace can allow dotfiles by globs, and nothing else", async () => {
  const files = readable(diskFiles(hostile.tools), { dotfiles: [".config/*", ".git/**", ".setpoint/**", "**"] });
  expect(Buffer.from(await files.read(".config/page.md")).toString()).toBe("dot\n");
  expect(await files.list([".config/*"])).toEqual([".config/page.md"]);
  for (const path of [".env", ".git/config", ".GIT/config", ".setpoint/runs/a.jsonl"])
    await expect(files.read(path)).rejects.toThrow(/^it is /);
  for (const path of [".\u200cgit/config", ".git::$INDEX_ALLOCATION/config", ".git /config", ".git./config"])
    await expect(files.read(path)).rejects.toThrow("it is in .git, from which nothing is read");
});

const unreadable = [".git/config", ".setpoint/runs/a.jsonl", ".env", "secrets/token.yaml"];

test.each(unreadable)("%j cannot be the body of a page, the schema of a policy or a manifest", async (path) => {
  const body = await loading({ "m/a.yaml": `kind: Page\nspec: { id: "1", file: ../${path} }\n` });
  expect(body.problems).toMatchObject([{ code: "SP1017", place: { file: "m/a.yaml", line: 2 } }]);
  const policy = await loading({}, `${workspaceText}policies: [{ name: own, schema: ${path} }]\n`);
  expect(policy.problems).toMatchObject([{ code: "SP1017", place: { file: "setpoint.yaml" } }]);
  // A problem in a manifest would show its lines.
  const manifest = await loading({}, workspaceText.replace('"m/*.yaml"', `"m/*.yaml", "${path}"`));
  expect(JSON.stringify(manifest.problems)).not.toContain("canary");
  expect(manifest.problems).toMatchObject([path === "secrets/token.yaml" ? { code: "SP1001" } : { code: "SP1013" }]);
});

test("a file to which the base delivered a secret is not read either", async () => {
  const options = { sinks: new Set(["secrets/token.yaml"]) };
  const { problems } = await loadFiles({ "secrets/token.yaml": "canary", "m/a.yaml": readsToken }, options);
  expect(problems).toMatchObject([{ code: "SP1017", place: { file: "m/a.yaml", line: 2 } }]);
  expect((await loadFiles({ "secrets/token.yaml": "canary", "m/a.yaml": readsToken })).problems).toEqual([]);
});

test("a file named on the command line can be a dotfile, and the workspace can allow dotfile manifests", async () => {
  const allowing = `${workspaceText}files: [".config/*.yaml"]\n`.replace("m/*.yaml", ".config/*.yaml");
  const files = { ".setpoint.yaml": allowing, ".values.yaml": "name: a\n", ".config/a.yaml": account };
  const options = { workspaceFile: ".setpoint.yaml", values: [".values.yaml"] };
  const { problems, resources } = await loadFiles(files, options);
  expect(problems).toEqual([]);
  expect(resources.map(({ address }) => address)).toEqual(["wiki/Account/a"]);
  const git = await loadFiles(
    { ...files, ".git/values.yaml": "name: a\n" },
    { ...options, values: [".git/values.yaml"] },
  );
  expect(git.problems.map(({ message }) => message)).toContain(
    "The file cannot be read: it is in .git, from which nothing is read.",
  );
});

test("every kind that delivers a secret does so in its field deliver, where the file is looked up", () => {
  const delivering = [...registry.values()].filter(({ spec }) =>
    JSON.stringify(z.toJSONSchema(spec, { io: "input" })).includes('"dotenv"'),
  );
  expect(delivering.map(({ kind }) => kind).sort()).toEqual(["AccessToken", "PersonalToken"]);
  const hasDeliver = z.object({ properties: z.object({ deliver: z.object({}) }) });
  for (const { spec } of delivering)
    expect(hasDeliver.safeParse(z.toJSONSchema(spec, { io: "input" })).success).toBe(true);
  expect(sinkFiles([{ deliver: { file: "a/b" } }, { deliver: { dotenv: "c", name: "N" } }, {}])).toEqual(
    new Set(["a/b", "c"]),
  );
});

const readsToken = 'kind: Page\nspec: { id: "1", file: ../secrets/token.yaml }\n';
const account = "kind: Account\nspec: { name: '${var.name}' }\n";

/** Loads the workspace with files added by a pull request. */
function loading(added: Readonly<Record<string, string>>, workspace = workspaceText) {
  return loadFiles({
    "setpoint.yaml": workspace,
    ".git/config": "canary",
    ".setpoint/runs/a.jsonl": "canary",
    ".env": "canary",
    "secrets/token.yaml": "canary",
    "m/token.yaml": "kind: Account\nspec: { name: a, deliver: { file: secrets/token.yaml } }\n",
    ...added,
  });
}
