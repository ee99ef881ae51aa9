import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { artifactsService } from "../../../../src/clients/artifacts/service.ts";
import { readerOf } from "../../../../src/clients/connect.ts";
import { learn, type ReadContent } from "../../../../src/core/known-content.ts";
import { ProblemError } from "../../../../src/core/problem.ts";
import type { Session } from "../../../../src/engine/sessions.ts";
import type { FileSource } from "../../../../src/manifests/sources/files.ts";
import { openWorkspace } from "../../../../src/setpoint.ts";
import { tarOf } from "../../../sandbox/archives.ts";
import { inMemory } from "../../../support/in-memory.ts";
import type { Lab } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";

/** A folder on disk with files, removed after the test. */
export function diskWith(files: Readonly<Record<string, string | Buffer>>): string {
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
export async function planWhere(checksums: Fields, contents: readonly string[], base?: readonly string[]) {
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

export const file = (more: Fields = {}, metadata: Fields = {}) =>
  document("DeployedFile", { repo: "libs", path: "app/a.jar", source: "a.jar", ...more }, metadata);
export const site = (more: Fields = {}, metadata: Fields = {}) =>
  document("DeployedFile", { repo: "libs", path: "site", archive: "site.tgz", ...more }, metadata);
export const siteOf = (files: Readonly<Record<string, string>>) => gzipSync(tarOf(files));

export const itemsOf = ({ sandbox }: Lab) => sandbox.state().artifacts.items;
export const outcomesOf = (report: Awaited<ReturnType<Lab["apply"]>>) => report.outcomes.map(({ result }) => result);
