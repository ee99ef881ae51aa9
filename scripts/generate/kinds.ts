import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { globSync } from "tinyglobby";
import { z } from "zod";
import { isObject } from "../../src/core/json.ts";
import type { Kind } from "../../src/core/kind.ts";
import { roles } from "../../src/core/resource.ts";

/** A kind and where it is written. */
export interface FoundKind {
  readonly kind: Kind;
  /** Relative to `src/reconcilers`, such as `review/branch-lock.ts`. */
  readonly file: string;
  /** The name of the exported constant. */
  readonly name: string;
}

/**
 * The kinds of `src/reconcilers/<role>/<kind>.ts`, by name. Modules that export none are shared by others. Throws where
 * a kind's file, constant or role is not named after it, and where two kinds have one name.
 */
export async function findKinds(root: string): Promise<readonly FoundKind[]> {
  const folder = join(root, "src/reconcilers");
  const files = globSync("*/*.ts", { cwd: folder });
  const found = await Promise.all(files.map(async (file) => kindsOf(file, await load(join(folder, file)))));
  const all = found.flat().sort((a, b) => (a.kind.kind < b.kind.kind ? -1 : 1));
  for (const [index, { kind, file }] of all.entries()) {
    const before = all[index - 1];
    if (before?.kind.kind === kind.kind) throw new Error(`${before.file} and ${file} both are the kind ${kind.kind}.`);
  }
  return all;
}

async function load(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}

function kindsOf(file: string, module: unknown): readonly FoundKind[] {
  return Object.entries(isObject(module) ? module : {}).flatMap(([name, value]) => {
    if (!isKind(value)) return [];
    const constant = `${value.kind.charAt(0).toLowerCase()}${value.kind.slice(1)}`;
    const place = `${value.role}/${constant.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
    if (file !== place || name !== constant)
      throw new Error(`${basename(file)}: the kind ${value.kind} belongs into ${place}, exported as ${constant}.`);
    return [{ kind: value, file, name }];
  });
}

/** Whether a value has the members that every kind has. */
function isKind(value: unknown): value is Kind {
  return (
    isObject(value) &&
    typeof value.kind === "string" &&
    roles.some((role) => role === value.role) &&
    typeof value.summary === "string" &&
    value.spec instanceof z.ZodType &&
    [value.key, value.scope, value.observe].every((member) => typeof member === "function")
  );
}
