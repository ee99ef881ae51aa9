import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ListedOperation } from "../src/cli/commands/call/call.ts";
import { operationsOf } from "../src/clients/find-service.ts";
import { argumentsBeyond } from "../src/core/beyond.ts";
import type { Operation } from "../src/core/operation.ts";
import { standIns } from "../src/sandbox/services.ts";
import { setpoint } from "./support/commands.ts";
import { type Role, roles } from "./support/roles.ts";

/** The operations of the API documents, one per line: role, name, effect, method and path. */
const documented = roles.flatMap(documentedOf).toSorted();

/** All operations by role and name. */
const operations = roles.flatMap((role) =>
  Object.entries(operationsOf(role)).map(([name, row]) => [`${role}.${name}`, row] as const),
);

function documentedOf(role: Role): readonly string[] {
  const [, ...lines] = readFileSync(join(import.meta.dirname, "clients", role, "operations.tsv"), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => `${role}\t${line}`).toSorted();
}

function rowsOf(role: Role, which: "documented" | "ext"): readonly string[] {
  return Object.entries(operationsOf(role))
    .filter(([, { ext }]) => (ext === undefined) === (which === "documented"))
    .map(([name, { effect, method, path }]) => [role, name, effect, method, path].join("\t"))
    .toSorted();
}

test("every role has the documented operations, word for word, and no others", () => {
  for (const role of roles) expect(rowsOf(role, "documented")).toEqual(documentedOf(role));
});

test("every operation refuses an unknown argument", () => {
  for (const [name, { args }] of operations)
    expect([name, args.safeParse({ nonesuch: 1 }).error?.issues]).toEqual([
      name,
      expect.arrayContaining([expect.objectContaining({ code: "unrecognized_keys", keys: ["nonesuch"] })]),
    ]);
});

test("every operation keeps every field that its service sends", () => {
  // A strict record drops nothing: it rejects unknown fields, or has moved them to where they can be reported.
  const closed = ({ result }: Operation, io: "input" | "output") =>
    JSON.stringify(z.toJSONSchema(result, { unrepresentable: "any", io })).split('"additionalProperties":false').length;
  const drops = (row: Operation) => closed(row, "output") > closed(row, "input");
  expect(operations.flatMap(([name, row]) => (drops(row) ? [name] : []))).toEqual([]);
});

test("every operation and argument beyond the documents cites a fact", () => {
  for (const [name, row] of operations)
    for (const ext of [row.ext ?? [], ...argumentsBeyond(row).values()].flat())
      expect(ext, name).toMatch(/^docs\/[\w/-]+\.md(?:, [\w ]+)?: \w.+/);
});

test("the sandbox implements every operation and no others", () => {
  for (const role of roles)
    expect([role, ...standIns[role].operations.toSorted()]).toEqual([
      role,
      ...Object.keys(operationsOf(role)).toSorted(),
    ]);
});

test("exactly these operations have an argument that caps the answer", () => {
  const capped = operations.flatMap(([name, { paging }]) => (paging?.cap ? [`${name} ${paging.cap}`] : []));
  expect(new Set(capped)).toEqual(
    new Set([
      "artifacts.listTags n",
      "artifacts.listCatalog n",
      "review.queryChanges n",
      "review.listProjects n",
      "tracker.searchIssues maxResults",
      "tracker.filterTokens limit",
      "wiki.filterTokens limit",
    ]),
  );
});

test("setpoint call --list --json lists exactly the operations of the clients", async () => {
  const { code, out } = await setpoint(["call", "--list", "--json"]);
  const { version, operations: all }: Listing = JSON.parse(out);
  expect({ code, version }).toEqual({ code: 0, version: 1 });
  const listed = (isExt: boolean) =>
    all
      .filter(({ ext }) => (ext !== undefined) === isExt)
      .map(({ role, operation, effect, method, path }) => [role, operation, effect, method, path].join("\t"))
      .toSorted();
  expect(listed(false)).toEqual(documented);
  expect(listed(true)).toEqual(roles.flatMap((role) => rowsOf(role, "ext")).toSorted());
});

interface Listing {
  readonly version: number;
  readonly operations: readonly ListedOperation[];
}
