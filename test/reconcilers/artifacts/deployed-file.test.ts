import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deployedFile } from "../../../src/reconcilers/artifacts/deployed-file.ts";
import { environmentFor } from "../../../src/sandbox/server/environment.ts";
import { setpoint } from "../../support/commands.ts";
import { openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { artifactsWorld, stored } from "../../support/worlds/artifacts-fixture.ts";
import { diskWith, file, itemsOf, outcomesOf, planWhere, site, siteOf } from "./deployed-file/disk.ts";

describe("DeployedFile", () => {
  test("stores a file, and then has nothing left to do; budget: 1 getItem, 1 deployFile, 1 getItem", async () => {
    await using lab = await openLab({ world: artifactsWorld({}) });
    const manifests = { now: file(), folder: diskWith({ "a.jar": "new" }) };
    const report = await lab.apply(manifests);
    expect(report.plan.changes).toMatchObject([{ action: "create", risks: [] }]);
    expect(outcomesOf(report)).toEqual(["applied"]);
    expect(lab.asked()).toEqual(["getItem", "listRepositories", "deployFile", "getItem"]);
    expect(itemsOf(lab)["libs/app/a.jar"]?.file).toEqual(stored("new").file);
    expect((await lab.plan(manifests)).changes).toEqual([]);
    expect(lab.asked()).toEqual(["getItem"]);
  });

  test.each(["md5", "sha1", "sha256"])(
    "no file is a .%s: the service has these of every file, and stores none",
    (type) => {
      const spec = { repo: "libs", path: `app/a.jar.${type}`, source: "a" };
      expect(deployedFile.spec.safeParse(spec).error?.issues).toMatchObject([{ path: ["path"] }]);
      expect(deployedFile.spec.safeParse({ ...spec, source: undefined, archive: "a.zip" }).success).toBe(true);
      expect(deployedFile.spec.safeParse({ ...spec, path: `app/${type}/a.sha512` }).success).toBe(true);
    },
  );

  test("replaces other content, shows both by their checksums, and says that the old content is lost", async () => {
    await using lab = await openLab({ world: artifactsWorld({ "libs/app/a.jar": stored("old") }) });
    const report = await lab.apply({ now: file(), folder: diskWith({ "a.jar": "new" }) });
    expect(report.plan.changes).toMatchObject([
      {
        action: "update",
        risks: ["irreversible"],
        fields: [
          {
            path: ["content"],
            live: `sha256:${stored("old").file.sha256}`,
            desired: `sha256:${stored("new").file.sha256}`,
          },
        ],
      },
    ]);
    expect(itemsOf(lab)["libs/app/a.jar"]?.file).toEqual(stored("new").file);
  });

  test("under wire: documented, takes the checksums from the list of the folder", async () => {
    await using lab = await openLab({ world: artifactsWorld({ "libs/app/b": stored("b") }), wire: "documented" });
    const manifests = { now: file(), folder: diskWith({ "a.jar": "new" }) };
    expect(outcomesOf(await lab.apply(manifests))).toEqual(["applied"]);
    expect(lab.asked()).toEqual(["listFolder", "deployFile", "listFolder"]);
    expect((await lab.plan(manifests)).changes).toEqual([]);
    const top = await lab.plan({ ...manifests, now: file({ path: "a.jar" }) });
    expect(top.changes).toMatchObject([{ action: "create" }]);
    const archive = { now: site(), folder: diskWith({ "site.tgz": siteOf({ a: "1" }) }) };
    expect((await lab.plan(archive)).unknown).toMatchObject([{ problem: { code: "SP3007" } }]);
  });

  test("uses the SHA-1 of the file at the base to tell which side changed", async () => {
    const { sha1 } = stored("before").file;
    expect((await planWhere({ sha1 }, ["now"], ["before"])).plan.changes).toMatchObject([{ verdict: "pending" }]);
    expect((await planWhere({ sha1 }, ["now"], ["now"])).plan.changes).toMatchObject([{ verdict: "drift" }]);
  });

  test("deletes a file that is declared absent or was removed from the manifests since the base", async () => {
    const items = { "libs/app/a.jar": stored("new"), "libs/app/b": stored("b") };
    for (const manifests of [{ now: file({}, { state: "absent" }) }, { now: "", base: file() }]) {
      await using lab = await openLab({ world: artifactsWorld(items) });
      expect(outcomesOf(await lab.apply({ ...manifests, folder: diskWith({ "a.jar": "x" }) }))).toEqual(["applied"]);
      expect(lab.asked()).toEqual(["getItem", "deleteItem", "getItem", "listRepositories"]);
      expect(Object.keys(itemsOf(lab))).toContain("auto-trashcan/libs/app/a.jar");
    }
  });

  test("a folder in the file's place needs a person", async () => {
    await using lab = await openLab({ world: artifactsWorld({ "libs/app/a.jar/x": stored("x") }) });
    const plan = await lab.plan({ now: file(), folder: diskWith({ "a.jar": "new" }) });
    expect(plan.changes).toMatchObject([
      { action: "check", instruction: expect.stringContaining("There is a folder") },
    ]);
  });

  test("does not delete a folder that is in place of a file declared absent", async () => {
    const folder = diskWith({ "a.jar": "x" });
    for (const manifests of [{ now: file({}, { state: "absent" }) }, { now: "", base: file() }]) {
      await using lab = await openLab({ world: artifactsWorld({ "libs/app/a.jar/x": stored("x") }) });
      const { plan } = await lab.apply({ ...manifests, folder });
      expect(plan.changes).toMatchObject([
        { action: "check", instruction: expect.stringContaining("There is a folder") },
      ]);
      expect(Object.keys(itemsOf(lab))).toContain("libs/app/a.jar/x");
    }
  });

  test("is stored before its properties are set, since storing removes them", async () => {
    await using lab = await openLab({ world: artifactsWorld({ "libs/app/a.jar": stored("old", { k: ["old"] }) }) });
    const properties = document("ItemProperties", { repo: "libs", path: "app/a.jar", properties: { k: ["new"] } });
    const folder = diskWith({ "a.jar": "new" });
    expect(outcomesOf(await lab.apply({ now: properties + file(), folder }))).toEqual(["applied", "applied"]);
    const { file: content, properties: set } = itemsOf(lab)["libs/app/a.jar"] ?? {};
    expect([content, set]).toEqual([stored("new").file, { k: ["new"] }]);
  });

  test.each([
    ["neither source nor archive", { source: undefined }],
    ["both", { archive: "a.zip" }],
    ["an archive of another form", { source: undefined, archive: "a.rar" }],
    ["a content of its own", { content: { sha256: "1" } }],
    ["a path that the service takes for that of an archive", { path: "app/a.jar!/b" }],
    ["a path that the service takes for one with a plus", { path: "app/a%2Bb" }],
  ])("%s is an error", (_what, wrong) => {
    expect(deployedFile.spec.safeParse({ repo: "r", path: "p", source: "a", ...wrong }).success).toBe(false);
  });

  test("a name that the service refuses is an error anywhere in a path, and any other name is allowed", () => {
    const isLegal = (path: string) => deployedFile.spec.safeParse({ repo: "r", path, source: "a" }).success;
    const refused = ['a"b', "a\\b", "a|b", "a*b", "a?b", " a", "a ", "a\t", "a .", "&", "...", ".&"];
    const paths = refused.flatMap((name) => [name, `${name}/b`, `a/${name}`]);
    expect(paths.filter(isLegal)).toEqual([]);
    const taken = [".index", "vv/aa..bb/&gg.pom", "a&", "sdf/d dd$dd", "a .b", "v1.0...0", "p@<s>:'w'.h$sh;x=1"];
    expect(taken.filter((path) => !isLegal(path))).toEqual([]);
  });

  test("a file that does not exist, or is outside of the workspace, is an error with its place", async () => {
    await using lab = await openLab({ world: artifactsWorld({}) });
    for (const source of ["none.jar", "../../etc/passwd", "/etc/passwd"])
      expect(await problemsOf(lab.plan({ now: file({ source }), folder: diskWith({}) }))).toMatchObject([
        { code: "SP1017", place: { file: "manifests/all.yaml", line: 4 } },
      ]);
  });

  test("with --base the file at the ref tells which side changed; without one the difference is pending", async () => {
    await using lab = await openLab({ world: artifactsWorld({ "libs/app/a.jar": stored("live") }) });
    const folder = diskWith({ "a.jar": "new" });
    const services = `services: { store: { type: artifactory, url: "${lab.sandbox.services.artifacts.url}", limits: { timeout: 2m } } }`;
    writeFileSync(join(folder, "setpoint.yaml"), `version: 1\nmanifests: ["*.yml"]\n${services}\n`);
    writeFileSync(join(folder, "m.yml"), file());
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
        cwd: folder,
        stdio: "pipe",
      });
    const verdict = async () => {
      const { out } = await setpoint(["plan", "--json", "--workspace", folder, "--base", "HEAD"], {
        env: Object.fromEntries(
          Object.entries(environmentFor(lab.sandbox.url)).map(([name, value]) => [
            name.replace("ARTIFACTS", "STORE"),
            value,
          ]),
        ),
      });
      return JSON.parse(out).changes?.[0]?.verdict;
    };
    git("init", "--quiet");
    git("add", "setpoint.yaml", "m.yml");
    git("commit", "--quiet", "--message", "without the file");
    expect(await verdict()).toBe("pending");
    git("add", "a.jar");
    git("commit", "--quiet", "--message", "with it");
    expect(await verdict()).toBe("drift");
  });
});
