import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { globSync } from "tinyglobby";
import { z } from "zod";
import { allServices } from "../../src/clients/find-service.ts";
import type { Kind } from "../../src/core/kind.ts";
import { isObject } from "../../src/core/text/json.ts";

/** A kind and its place in the sources. */
export interface FoundKind {
  readonly kind: Kind;
  /** Relative to `src/reconcilers`, such as `hosting/host-keys.ts` or `wiki/wiki-page/wiki-page.ts`. */
  readonly file: string;
  /** The name of the exported constant. */
  readonly name: string;
}

/**
 * The kinds in `src/reconcilers/<role>/`, sorted by name. Each is a file named after it, or a folder named after it with
 * such a file and its parts. What kinds share is in `shared/`. Throws if a kind's file or constant is not named after it or
 * is in another role's folder, if a file that should be a kind is not one, and if two kinds have the same name.
 */
export async function findKinds(root: string): Promise<readonly FoundKind[]> {
  const folder = join(root, "src/reconcilers");
  const files = globSync(["*/*.ts", "*/*/*.ts"], { cwd: folder, ignore: ["shared/**", "*/shared/**"] }).filter(
    isKindFile,
  );
  const found = await Promise.all(files.map(async (file) => kindIn(file, await load(join(folder, file)))));
  const all = found.sort((a, b) => (a.kind.kind < b.kind.kind ? -1 : 1));
  for (const [index, { kind, file }] of all.entries()) {
    const before = all[index - 1];
    if (before?.kind.kind === kind.kind) throw new Error(`${before.file} and ${file} both are the kind ${kind.kind}.`);
  }
  return all;
}

async function load(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}

/** Whether a path is that of a kind, and not of a part of one. */
function isKindFile(file: string): boolean {
  const [, folder, name] = file.split("/");
  return name === undefined || name === `${folder}.ts`;
}

function kindIn(file: string, module: unknown): FoundKind {
  const [exported] = Object.entries(isObject(module) ? module : {}).flatMap(([name, value]) =>
    isKind(value) ? [{ name, kind: value }] : [],
  );
  if (exported === undefined) throw new Error(`${file} exports no kind: what kinds share belongs in shared/.`);
  const { name, kind } = exported;
  const constant = `${kind.kind.charAt(0).toLowerCase()}${kind.kind.slice(1)}`;
  const place = `${kind.role}/${constant.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if ((file !== `${place}.ts` && file !== `${place}/${basename(place)}.ts`) || name !== constant)
    throw new Error(`${basename(file)}: the kind ${kind.kind} belongs in ${place}.ts, exported as ${constant}.`);
  return { kind, file, name };
}

/** Whether a value has the members that every kind has. */
function isKind(value: unknown): value is Kind {
  return (
    isObject(value) &&
    typeof value.kind === "string" &&
    allServices.some(({ role }) => role === value.role) &&
    typeof value.summary === "string" &&
    value.spec instanceof z.ZodType &&
    [value.key, value.scope, value.observe].every((member) => typeof member === "function")
  );
}
