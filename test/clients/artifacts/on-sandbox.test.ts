import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { artifactsOperations } from "../../../src/clients/artifacts/operations.ts";
import { openConnection } from "../../../src/clients/connect.ts";
import { Secret } from "../../../src/core/secret.ts";
import { defaultWorld } from "../../../src/sandbox/default-world.ts";
import { tarOf } from "../../sandbox/archives.ts";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { serviceOf } from "../fixtures.ts";
import { artifactsCases } from "./cases.ts";

type Name = keyof typeof artifactsOperations;

const folder = mkdtempSync(join(tmpdir(), "artifacts-"));
afterAll(() => rmSync(folder, { recursive: true }));
const jar = join(folder, "new.jar");
const site = join(folder, "site.tar.gz");
writeFileSync(jar, "new");
writeFileSync(site, gzipSync(tarOf({ "index.html": "<p>", "img/a.png": "png" })));

const cases = artifactsCases({ jar, site });

test.each(Object.keys(artifactsOperations).filter(isName))("%s does its work in the sandbox", async (name) => {
  const world = defaultWorld();
  world.artifacts.now = "2026-10-01T00:00:00.000Z";
  const sandbox = await sandboxForTest({ world });
  const { url } = sandbox.services.artifacts;
  const service = serviceOf("artifacts", { url, urls: { auth: `${url}/access` } });
  const { args, gives, leaves } = cases[name];
  const mode = artifactsOperations[name].effect;
  const credentials = { is: "token", token: new Secret("secret") } as const;
  const connection = openConnection(service, { mode, credentials, pageAll: true });
  onTestFinished(() => connection.close());
  expect({ answer: await connection.call(name, args) }).toMatchObject({ answer: gives });
  expect(new Set(sandbox.requests().map(({ operation }) => operation))).toEqual(new Set([name]));
  const [look, value] = leaves ?? [() => undefined, undefined];
  expect(look(sandbox.state().artifacts)).toEqual(value);
  if (mode === "read") expect(sandbox.state()).toEqual(world);
});

function isName(name: string): name is Name {
  return Object.hasOwn(artifactsOperations, name);
}
