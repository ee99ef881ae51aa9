import { execFileSync } from "node:child_process";
import { Hash } from "node:crypto";
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { artifactsService } from "../../../src/clients/artifacts/service.ts";
import { readerOf } from "../../../src/clients/connect.ts";
import { learn, type ReadContent } from "../../../src/core/known-content.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Session } from "../../../src/engine/sessions.ts";
import type { FileSource } from "../../../src/manifests/sources/files.ts";
import { deployedFile } from "../../../src/reconcilers/artifacts/deployed-file.ts";
import { environmentFor } from "../../../src/sandbox/server/environment.ts";
import { openWorkspace } from "../../../src/setpoint.ts";
import { tarOf } from "../../sandbox/archives.ts";
import { setpoint } from "../../support/commands.ts";
import { inMemory, type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { artifactsWorld, stored, folder as storedFolder } from "../../support/worlds/artifacts-fixture.ts";

/** A folder on disk with files, removed after the test. */
function diskWith(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-deploy-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The plan for a file of which the service reports these checksums, and how often the local file was read. `contents`
 * are those of its first readings; the last one is used for all further ones.
 */
async function planWhere(checksums: Fields, contents: readonly string[], base?: readonly string[]) {
  const url = "http://artifacts.example.com";
  const texts = {
    "setpoint.yaml": `version: 1\nservices: { artifacts: { type: artifactory, url: "${url}" } }\n`,
    "manifests/all.yaml": file(),
  };
  let readings = 0;
  const filesOf = (all: readonly string[], onRead: () => void): FileSource => {
    let at = 0;
    const read: ReadContent = (take) => {
      onRead();
      return take(Readable.from([Buffer.from(all[Math.min(at++, all.length - 1)] ?? "")]));
    };
    return {
      ...inMemory(texts),
      digest: async (path) => ({ path, sha256: await learn(read) }),
      check: async () => {},
    };
  };
  const session: Session = {
    reader: () => readerOf(async () => ({ uri: "u", checksums }), { wire: "product" }, artifactsService),
    call: () => Promise.reject(new Error("A plan writes nothing.")),
    requests: { reads: 0, writes: 0 },
  };
  const workspace = openWorkspace({
    path: diskWith({}),
    readings: false,
    files: filesOf(contents, () => readings++),
    filesAt: async () => filesOf(base ?? [], () => {}),
    env: {},
    openSessions: async () => ({ sessions: new Map([["artifacts", session]]), close: async () => {} }),
  });
  const planned = await workspace.plan(base === undefined ? {} : { base: "base" });
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  return { plan: planned.plan, readings };
}

const file = (more: Fields = {}, metadata: Fields = {}) =>
  document("DeployedFile", { repo: "libs", path: "app/a.jar", source: "a.jar", ...more }, metadata);
const site = (more: Fields = {}, metadata: Fields = {}) =>
  document("DeployedFile", { repo: "libs", path: "site", archive: "site.tgz", ...more }, metadata);
const siteOf = (files: Readonly<Record<string, string>>) => gzipSync(tarOf(files));

const itemsOf = ({ sandbox }: Lab) => sandbox.state().artifacts.items;
const outcomesOf = (report: Awaited<ReturnType<Lab["apply"]>>) => report.outcomes.map(({ result }) => result);

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

  test("computes one SHA-256 of a file for the plan and none to send it", async () => {
    await using lab = await openLab({ world: artifactsWorld({}) });
    const manifests = { now: file(), folder: diskWith({ "a.jar": "hashed once" }) };
    const { sha256 } = stored("hashed once").file;
    using digests = vi.spyOn(Hash.prototype, "digest");
    const computed = () => digests.mock.results.filter(({ value }) => value === sha256).length;
    await lab.plan(manifests);
    expect(computed()).toBe(1);
    await lab.apply(manifests);
    // One for another plan, and one by the service.
    expect(computed()).toBe(3);
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

  test("trusts a service that reports only the SHA-1, and reads the file a second time only for that", async () => {
    const [live, other] = [stored("live").file, stored("other").file];
    expect(await planWhere({ sha256: live.sha256, sha1: live.sha1 }, ["live"])).toMatchObject({
      plan: { changes: [] },
      readings: 1,
    });
    expect(await planWhere({ sha1: live.sha1 }, ["live"])).toMatchObject({ plan: { changes: [] }, readings: 2 });
    expect(await planWhere({ sha1: other.sha1 }, ["live"])).toMatchObject({
      plan: {
        changes: [{ fields: [{ live: `sha1:${other.sha1}`, desired: `sha256:${live.sha256}` }] }],
      },
      readings: 2,
    });
  });

  test("uses the SHA-1 of the file at the base to tell which side changed", async () => {
    const { sha1 } = stored("before").file;
    expect((await planWhere({ sha1 }, ["now"], ["before"])).plan.changes).toMatchObject([{ verdict: "pending" }]);
    expect((await planWhere({ sha1 }, ["now"], ["now"])).plan.changes).toMatchObject([{ verdict: "drift" }]);
  });

  test("is unknown if the file changes before its SHA-1 is computed, or if no checksum is reported", async () => {
    const { sha1 } = stored("as it is!").file;
    expect((await planWhere({ sha1 }, ["as it was", "as it is!"])).plan).toMatchObject({
      changes: [],
      unknown: [
        { address: "artifacts/DeployedFile/libs/app/a.jar", problem: { code: "SP1017", service: "artifacts" } },
      ],
    });
    expect((await planWhere({}, ["live"])).plan).toMatchObject({ unknown: [{ problem: { code: "SP3104" } }] });
  });

  test.each([
    ["another content", (path: string) => writeFileSync(path, "evil")],
    [
      "other bytes, with the size and the times that it had",
      (path: string) => {
        const { atime, mtime } = statSync(path);
        writeFileSync(path, readFileSync(path).reverse());
        utimesSync(path, atime, mtime);
      },
    ],
    ["more at its end", (path: string) => appendFileSync(path, "!")],
    ["nothing in it", (path: string) => writeFileSync(path, "")],
    [
      "a link to another file",
      (path: string) => {
        unlinkSync(path);
        symlinkSync("/etc/hostname", path);
      },
    ],
  ])("a file that has %s since the plan is not stored, and the change is stale", async (_what, change) => {
    for (const [now, name, content] of [
      [file(), "a.jar", "new"],
      [site(), "site.tgz", siteOf({ a: "1" })],
    ] as const) {
      await using lab = await openLab({ world: artifactsWorld({}) });
      const folder = diskWith({ [name]: content });
      const report = await lab.apply({ now, folder }, () => change(join(folder, name)));
      expect(report.outcomes).toMatchObject([{ result: "stale", problem: { code: "SP4003" } }]);
      expect(itemsOf(lab)).toEqual({});
    }
  });

  test("a large file that changes is not stored either, since its last part is never sent", async () => {
    await using lab = await openLab({ world: artifactsWorld({}) });
    const folder = diskWith({ "a.jar": Buffer.alloc(3_000_000, 1) });
    const report = await lab.apply({ now: file(), folder }, () =>
      // Only its last byte changes.
      writeFileSync(join(folder, "a.jar"), Buffer.alloc(3_000_000, 1).fill(2, 2_999_999)),
    );
    expect(outcomesOf(report)).toEqual(["stale"]);
    expect(itemsOf(lab)).toEqual({});
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
