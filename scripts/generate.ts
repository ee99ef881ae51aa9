/**
 * Derives the files that are never written manually: the lists of services, the registry of kinds, the JSON Schemas, the docs of
 * the kinds, the operations, the problems and the command line, and the page of benchmark results. `--check` writes nothing, and
 * names stale files.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { globSync } from "tinyglobby";
import type { DerivedFile } from "./generate/derived-file.ts";
import { formatted } from "./generate/format.ts";
import { performanceDocs } from "./generate/performance.ts";
import { services } from "./generate/services.ts";

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });

settle([
  performanceDocs(read("bench/results.json")),
  services(root, "src/clients/services.ts", "Service"),
  services(root, "src/sandbox/services.ts", "StandIn", ["state"]),
  services(root, "test/clients/services.ts", "Example"),
]);
// Everything else is derived from the services that these files list, so it is imported only after they are written.
if (process.exitCode === undefined) {
  const { derivedFromServices } = await import("./generate/derived-from-services.ts");
  const derived = await derivedFromServices(root, (kind) => read(`examples/kinds/${kind}.yaml`));
  settle(derived);
  // Every file in these folders is derived. A left-over one belongs to a kind that no longer exists.
  const leftOver = globSync(["schema/*", "docs/kinds/*"], { cwd: root }).filter(
    (path) => !derived.some((file) => file.path === path),
  );
  if (values.check) complain(leftOver);
  else for (const path of leftOver) rmSync(join(root, path));
}

/** Writes the files that are stale, or names them. */
function settle(derived: readonly DerivedFile[]): void {
  const stale = derived.map((file) => formatted(root, file)).filter(({ path, text }) => read(path) !== text);
  if (values.check) complain(stale.map(({ path }) => path));
  else
    for (const { path, text } of stale) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
      console.log(`wrote ${path}`);
    }
}

function complain(stale: readonly string[]): void {
  if (stale.length === 0) return;
  for (const path of stale) console.error(`${path} is stale.`);
  console.error("Run npm run generate, and commit what it writes.");
  process.exitCode = 1;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
