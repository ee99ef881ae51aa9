import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { type Credentials, connect, Secret } from "../../src/clients/index.ts";
import type { Effect } from "../../src/core/operation.ts";
import { sandboxForTest } from "../sandbox/asking.ts";
import { problemOf } from "./fixtures.ts";

const entry = join(import.meta.dirname, "../../src/clients/index.ts");
const credentials: Credentials = { is: "basic", username: "admin", password: new Secret("secret") };

async function openWiki<M extends Effect>(mode: M) {
  const sandbox = await sandboxForTest();
  const wiki = connect({ role: "wiki", url: sandbox.services.wiki.url }, { mode, credentials });
  onTestFinished(() => wiki.close());
  return { sandbox, wiki };
}

test("a client has a typed method for each operation", async () => {
  const { sandbox, wiki } = await openWiki("write");
  const page = await wiki.client.getPage({ pageId: "48213" });
  expectTypeOf(page.version.number).toBeNumber();
  expect(page.version.number).toBe(2);
  expect(await wiki.client.deleteToken({ tokenId: 1 }).catch(() => "refused")).toBe(true);
  expect(sandbox.state().wiki.tokenPlugin.tokens).toEqual([]);
  expect(wiki.requests).toEqual({ reads: 1, writes: 1 });
});

test("in mode read there is no method that writes", async () => {
  const { wiki } = await openWiki("read");
  expectTypeOf(wiki.client).not.toHaveProperty("updatePage");
  expect(Object.keys(wiki.client)).toEqual([
    "getCurrentUser",
    "getServerManifest",
    "getPage",
    "listTokens",
    "filterTokens",
  ]);
});

test("what goes wrong is a problem with code, service and hint", async () => {
  const { wiki } = await openWiki("read");
  expect(await problemOf(wiki.client.getPage({ pageId: "0" }))).toMatchObject({
    code: "SP3005",
    service: "wiki",
    operation: "getPage",
    hint: expect.any(String),
  });
});

test("the package names the entry, with its types", () => {
  const { exports }: { readonly exports: unknown } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(exports).toMatchObject({
    "./clients": { types: "./dist/clients/index.d.ts", default: "./dist/clients/index.js" },
  });
});

test("the example of docs/recipes/library.md runs", async () => {
  const sandbox = await sandboxForTest();
  const [, example = ""] = /^```ts\n(.*?)^```/ms.exec(readFileSync("docs/recipes/library.md", "utf8")) ?? [];
  const folder = await mkdtemp(join(tmpdir(), "setpoint-library-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = join(folder, "example.mts");
  await writeFile(program, example.replace('"setpoint/clients"', JSON.stringify(pathToFileURL(entry))));
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      SETPOINT_WIKI_URL: sandbox.services.wiki.url,
      SETPOINT_WIKI_USERNAME: "admin",
      SETPOINT_WIKI_PASSWORD: "secret",
    },
  });
  expect(stdout).toBe("Release calendar, version 2\n");
});
