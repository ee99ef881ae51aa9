import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { operationsOf } from "../src/clients/find-service.ts";
import { standIns } from "../src/sandbox/services.ts";
import { setpoint } from "./support/commands.ts";
import { type Role, roles } from "./support/roles.ts";

/** The operations of the API documents, a line each: role, name, effect, method and path. */
const documented = readFileSync(join(import.meta.dirname, "operations.tsv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .toSorted();

function rowsOf(role: Role, which: "documented" | "ext"): readonly string[] {
  return Object.entries(operationsOf(role))
    .filter(([, { ext }]) => (ext === undefined) === (which === "documented"))
    .map(([name, { effect, method, path }]) => [role, name, effect, method, path].join("\t"))
    .toSorted();
}

test("the API documents have 144 operations", () => {
  expect(documented).toHaveLength(144);
  const known: readonly string[] = roles;
  expect(documented.filter((line) => !known.includes(line.split("\t", 1)[0] ?? ""))).toEqual([]);
});

describe.each(roles)("%s", (role) => {
  test("has the operations of the documents, word for word, and no others", () => {
    expect(rowsOf(role, "documented")).toEqual(documented.filter((line) => line.startsWith(`${role}\t`)));
  });

  test("refuses an argument that an operation does not have", () => {
    for (const [name, { args }] of Object.entries(operationsOf(role)))
      expect([name, args.safeParse({ nonesuch: 1 }).error?.issues]).toEqual([
        name,
        expect.arrayContaining([expect.objectContaining({ code: "unrecognized_keys", keys: ["nonesuch"] })]),
      ]);
  });

  test("cites a fact for every operation beyond the documents", () => {
    for (const { ext } of Object.values(operationsOf(role)))
      if (ext !== undefined) expect(ext).toMatch(/^docs\/[\w/-]+\.md(?:, [\w ]+)?: \w.+/);
  });

  test("is answered by the sandbox, operation for operation", () => {
    const answered = standIns[role].operations.filter((name) => !redirectTargets.includes(name));
    expect(answered.toSorted()).toEqual(Object.keys(operationsOf(role)).toSorted());
  });
});

/** What only a redirect of an operation leads to: no operation of its own. */
const redirectTargets: readonly string[] = ["readLogArchive"];

test("setpoint call --list --json lists exactly the operations of the clients", async () => {
  const { code, out } = await setpoint(["call", "--list", "--json"]);
  const { version, operations }: Listing = JSON.parse(out);
  expect({ code, version }).toEqual({ code: 0, version: 1 });
  const listed = (isExt: boolean) =>
    operations
      .filter(({ ext }) => (ext !== undefined) === isExt)
      .map(({ role, operation, effect, method, path }) => [role, operation, effect, method, path].join("\t"))
      .toSorted();
  expect(listed(false)).toEqual(documented);
  expect(listed(true)).toEqual(roles.flatMap((role) => rowsOf(role, "ext")).toSorted());
});

interface Listing {
  readonly version: number;
  readonly operations: readonly {
    readonly role: string;
    readonly operation: string;
    readonly effect: string;
    readonly method: string;
    readonly path: string;
    readonly ext?: string;
  }[];
}
