/**
 * Derives what is never written by hand: the lists of services, the registry of kinds, the JSON Schemas, the docs of the
 * kinds, of the operations and of the command line. `--check` writes nothing, and names stale files.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { globSync } from "tinyglobby";
import { cliDocs } from "./generate/cli.ts";
import type { DerivedFile } from "./generate/derived-file.ts";
import { kindDocs } from "./generate/docs.ts";
import { formatted } from "./generate/format.ts";
import { findKinds } from "./generate/kinds.ts";
import { operationDocs } from "./generate/operations.ts";
import { registry } from "./generate/registry.ts";
import { schemas } from "./generate/schemas.ts";
import { services } from "./generate/services.ts";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });

const found = await findKinds(root);
const kinds = found.map(({ kind }) => kind);
const derived: readonly DerivedFile[] = [
  services(root, "src/clients/services.ts", "Service"),
  registry(found),
  services(root, "src/sandbox/services.ts", "StandIn", ["state"]),
  ...schemas(kinds),
  cliDocs(),
  operationDocs(),
  ...kindDocs(kinds, (kind) => read(`examples/kinds/${kind}.yaml`)),
].map((file) => formatted(root, file));

/** Files in folders where every file is derived: these belong to a kind that no longer exists. */
const leftOver = globSync(["schema/*", "docs/kinds/*"], { cwd: root }).filter(
  (path) => !derived.some((file) => file.path === path),
);
const stale = derived.filter(({ path, text }) => read(path) !== text);

if (values.check) {
  for (const path of [...stale.map((file) => file.path), ...leftOver]) console.error(`${path} is stale.`);
  if (stale.length + leftOver.length > 0) {
    console.error("Run npm run generate, and commit what it writes.");
    process.exitCode = 1;
  }
} else {
  for (const path of leftOver) rmSync(join(root, path));
  for (const { path, text } of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
