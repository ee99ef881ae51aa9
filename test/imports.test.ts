import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";

/** The conditions of a rule; those that a path alone does not decide are left out. */
interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string; readonly pathNot?: string };
  readonly to: { readonly path?: string; readonly pathNot?: string | readonly string[] };
}

const config: { readonly forbidden: readonly Rule[] } = createRequire(import.meta.url)("../.dependency-cruiser.cjs");

const byPath = config.forbidden.filter(({ to }) => Object.keys(to).every((key) => key === "path" || key === "pathNot"));

const files = ["src", "test"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
);

function fits(path: string, { path: wanted = "", pathNot = [] }: Rule["to"]): boolean {
  return new RegExp(wanted).test(path) && ![pathNot].flat().some((pattern) => new RegExp(pattern).test(path));
}

/** The names of the rules that forbid an import. */
function against(importer: string, imported: string): readonly string[] {
  return byPath.filter(({ from, to }) => fits(importer, from) && fits(imported, to)).map(({ name }) => name);
}

test.each([
  ["publishers/status.ts", "reports/neutral.ts", []],
  ["publishers/status.ts", "clients/hosting/operations.ts", []],
  ["publishers/status.ts", "clients/review/records.ts", []],
  ["publishers/status.ts", "clients/hosting/service.ts", ["publishers-imports"]],
  ["publishers/status.ts", "clients/connect.ts", ["publishers-imports"]],
  ["publishers/status.ts", "planner/decide.ts", ["publishers-imports"]],
  ["publishers/status.ts", "manifests/load.ts", ["publishers-imports"]],
  ["sandbox/wiki/service.ts", "clients/wiki/operations.ts", []],
  ["sandbox/wiki/service.ts", "clients/wiki/protocol.ts", ["sandbox-imports"]],
  ["sandbox/wiki/service.ts", "clients/connect.ts", ["sandbox-imports"]],
  ["core/kind.ts", "clients/table.ts", ["core-imports"]],
  ["engine/apply/apply.ts", "publishers/comment.ts", ["engine-imports"]],
])("an import of %s from %s is judged by the rules: %j", (importer, imported, names) => {
  expect(against(`src/${importer}`, `src/${imported}`)).toEqual(names);
});

test("every path in a rule is one of this repository", () => {
  const patterns = config.forbidden.flatMap(({ from, to }) => [from.path, from.pathNot, to.path, to.pathNot].flat());
  const known = [...files, "node_modules/nock"];
  const stale = patterns.filter((pattern = "") => !known.some((file) => new RegExp(pattern).test(file)));
  expect(stale).toEqual([]);
});
