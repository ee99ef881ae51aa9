import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { artifactsService } from "../../../../src/clients/artifacts/service.ts";
import { readerOf } from "../../../../src/clients/connect.ts";
import { type Problem, ProblemError } from "../../../../src/core/problem.ts";
import type { Session } from "../../../../src/engine/sessions.ts";
import { diskFiles, type FileSource } from "../../../../src/manifests/sources/files.ts";
import { type OpenOptions, openWorkspace, type PlanOptions } from "../../../../src/setpoint.ts";
import { commitAll } from "../../../support/git.ts";
import { document } from "../../../support/manifest.ts";
import { stored } from "../../../support/worlds/artifacts-fixture.ts";

/** What the files of every test are deployed as: `a.jar` five times, and `b.jar` once. */
const five = ["1", "2", "3", "4", "5"].map((name) => deployment(`app/a${name}.jar`, "../a.jar"));
const everything = [...five, deployment("lib/b.jar", "../b.jar", { part: "lib" })];

function deployment(path: string, source: string, labels: Readonly<Record<string, string>> = {}): string {
  return document("DeployedFile", { repo: "libs", path, source }, { labels });
}

/** A folder on disk, removed after the test. */
function diskWith(documents: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-readings-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "m"));
  const artifacts = `{ type: artifactory, url: "http://artifacts.example.com" }`;
  writeFileSync(
    join(folder, "setpoint.yaml"),
    `version: 1\nmanifests: ["m/*.yaml"]\nservices: { artifacts: ${artifacts} }\n`,
  );
  writeFileSync(join(folder, "m/all.yaml"), documents.join(""));
  for (const name of ["a.jar", "b.jar"]) writeFileSync(join(folder, name), name);
  return folder;
}

const openSessions: NonNullable<OpenOptions["openSessions"]> = async () => {
  const { sha256 } = stored("live").file;
  const session: Session = {
    reader: () =>
      readerOf(
        async () => ({ uri: "u", checksums: { sha256 }, fileStoreSummary: {}, properties: { k: ["live"] } }),
        { wire: "product" },
        artifactsService,
      ),
    call: () => Promise.reject(new Error("Nothing is written.")),
    requests: { reads: 0, writes: 0 },
  };
  return { sessions: new Map([["artifacts", session]]), close: async () => {} };
};

/** A workspace whose service stores `live` at every path, and the paths whose checksums it computes, in order. */
function counted({
  documents = everything,
  base = documents,
  trust = base,
}: Readonly<Record<string, readonly string[]>>) {
  const folder = diskWith(documents);
  const counting = (files: FileSource, computed: string[]): FileSource => ({
    ...files,
    digest: (path) => {
      computed.push(path);
      return files.digest(path);
    },
  });
  const [computed, atBase]: [string[], string[]] = [[], []];
  const open = (more: Pick<OpenOptions, "trust" | "watches"> = {}) =>
    openWorkspace({
      ...more,
      path: folder,
      readings: false,
      env: {},
      files: counting(diskFiles(folder), computed),
      filesAt: async (ref) => counting(diskFiles(diskWith(ref === "base" ? base : trust)), atBase),
      openSessions,
    });
  const planned = async (options: PlanOptions = {}) => {
    const result = await open().plan(options);
    if (result.is === "wrong") throw new ProblemError(...result.problems);
    return result.plan.changes.map(({ address }) => address.replace("artifacts/DeployedFile/libs/", ""));
  };
  return { folder, computed, atBase, open, planned };
}

test("a plan computes the checksum of a file once, however many documents name it, and so does its base", async () => {
  const { planned, computed, atBase } = counted({});
  expect(await planned({ base: "base" })).toHaveLength(6);
  expect(computed.sort()).toEqual(["a.jar", "b.jar"]);
  expect(atBase.sort()).toEqual(["a.jar", "b.jar"]);
});

test("a second plan of the same workspace sees what a file has become", async () => {
  const { open, folder } = counted({ documents: five });
  const workspace = open();
  const shown = async () => JSON.stringify(await workspace.plan()).includes(stored("a.jar, longer").file.sha256);
  expect(await shown()).toBe(false);
  appendFileSync(join(folder, "a.jar"), ", longer");
  expect(await shown()).toBe(true);
});

test("a plan by the rules of another ref and by its own computes it once too", async () => {
  const { open, computed } = counted({ trust: [deployment("app/a1.jar", "../a.jar")] });
  await open({ trust: "main" }).plan();
  expect(computed.sort()).toEqual(["a.jar", "b.jar"]);
});

test("an adoption computes it once, although it loads the manifests again", async () => {
  const properties = document("ItemProperties", { repo: "libs", path: "app", properties: { k: ["declared"] } });
  const { open, computed } = counted({ documents: [...everything, properties] });
  expect(await open().adopt()).toMatchObject({
    adoption: { adopted: [{ fields: ["properties"] }], files: [{ after: expect.stringContaining("live") }] },
  });
  expect(computed.sort()).toEqual(["a.jar", "b.jar"]);
});

test("what asks no service for the content of a file computes no checksum", async () => {
  const { open, computed } = counted({});
  const { problems, resources } = await open().validate();
  expect({ problems, found: resources.length }).toEqual({ problems: [], found: 6 });
  expect(open().references(resources, { service: [], kind: [], label: [] }).references.size).toBe(6);
  expect((await open().format()).problems).toEqual([]);
  expect(await open().doctor()).toMatchObject({ is: "examined", errors: 0 });
  expect(computed).toEqual([]);
});

test.each<[string, PlanOptions]>([
  ["an address", { only: ["artifacts/DeployedFile/libs/lib/*"] }],
  ["a label", { label: ["part=lib"] }],
])("a plan narrowed to %s computes the checksums of what is selected", async (_what, options) => {
  const { planned, computed, atBase } = counted({});
  expect(await planned({ ...options, base: "base" })).toEqual(["lib/b.jar"]);
  expect([computed, atBase]).toEqual([["b.jar"], ["b.jar"]]);
});

test("a saved plan of a selection is refused if a selected file has changed, and not because of another one", async () => {
  const { open, folder } = counted({});
  const planned = await open().plan({ label: ["part=lib"] });
  const saved = planned.is === "planned" ? JSON.stringify(await open().save(planned)) : "";
  writeFileSync(join(folder, "a.jar"), "another one");
  expect(await open().resume(saved)).toMatchObject({ is: "planned" });
  writeFileSync(join(folder, "b.jar"), "a selected one");
  expect(await open().resume(saved)).toMatchObject({ is: "wrong", problems: [{ code: "SP2004" }] });
});

test("what is affected depends on all checksums, even if the plan is narrowed too", async () => {
  const { planned, computed } = counted({ base: five });
  await planned({ base: "base", affected: true });
  expect(computed.splice(0).sort()).toEqual(["a.jar", "b.jar"]);
  await planned({ base: "base", affected: true, label: ["part=lib"] });
  expect(computed.sort()).toEqual(["a.jar", "b.jar"]);
});

test("of the files in a commit, only those that have changed since are affected", async () => {
  const path = diskWith(everything);
  commitAll(path, "before");
  const affected = async () => {
    const result = await openWorkspace({ path, readings: false, env: {}, openSessions }).plan({
      base: "HEAD",
      affected: true,
    });
    if (result.is === "wrong") throw new ProblemError(...result.problems);
    return result.plan.affected;
  };
  expect(await affected()).toMatchObject({ resources: 0 });
  writeFileSync(join(path, "b.jar"), "changed");
  expect(await affected()).toMatchObject({ resources: 1 });
});

test("the shards of a plan have one digest, for which each computes all selected checksums", async () => {
  const { open, computed } = counted({});
  const digestOf = async (index: number) => {
    const made = await open().plan({ shard: { index, of: 2 } });
    return made.is === "planned" ? made.plan.shard?.digest : made.problems;
  };
  expect(await digestOf(1)).toBe(await digestOf(2));
  expect(computed.sort()).toEqual(["a.jar", "a.jar", "b.jar", "b.jar"]);
});

test("a missing file that appears is a change for whoever watches", async () => {
  const { open, folder, computed } = counted({ documents: [deployment("new.jar", "../new.jar")] });
  const watching = [open({ watches: true }), open({ watches: true })];
  await watching[0]?.validate();
  await watching[1]?.plan();
  const changes = () => Promise.all(watching.map((one) => one.changes()));
  expect(await changes()).toEqual([[], []]);
  writeFileSync(join(folder, "new.jar"), "new");
  expect(await changes()).toEqual([["new.jar"], ["new.jar"]]);
  expect(computed).toEqual([]);
});

test("a file that cannot be deployed is the same error at the same place, whether it is selected or not", async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 9\n`;
  const names = ["none", "link", "pointer", "folder", "../../etc/passwd", ".hidden"];
  const { open, folder, computed } = counted({ documents: names.map((name, at) => deployment(`${at}`, `../${name}`)) });
  symlinkSync("a.jar", join(folder, "link"));
  writeFileSync(join(folder, "pointer"), pointer);
  mkdirSync(join(folder, "folder"));
  writeFileSync(join(folder, ".hidden"), "hidden");
  const said = ({ code, message, place }: Problem) => `${place?.file}:${place?.line} ${code} ${message}`;
  const { problems } = await open().validate();
  expect(problems.map(said)).toEqual([
    'm/all.yaml:4 SP1017 "../none" cannot be read: there is no such file.',
    'm/all.yaml:8 SP1017 "../link" cannot be read: it is reached through a link.',
    'm/all.yaml:12 SP1017 "../pointer" cannot be read: it is a Git LFS pointer whose content is missing: run git lfs pull.',
    'm/all.yaml:16 SP1017 "../folder" cannot be read: it is not a file.',
    'm/all.yaml:20 SP1017 "../../../etc/passwd" cannot be read: it is not below the folder of the workspace file.',
    'm/all.yaml:24 SP1017 "../.hidden" cannot be read: it is a dotfile or in a dot folder that the workspace file does not allow under files.',
  ]);
  const planned = await open().plan({ only: ["nothing of this"] });
  expect(planned.is === "wrong" && planned.problems).toEqual(problems);
  expect(computed).toEqual([]);
});
