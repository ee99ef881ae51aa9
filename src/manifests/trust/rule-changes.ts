import type { RuleChange } from "../../core/run/plan.ts";
import { defined, isObject, Json, sameJson } from "../../core/text/json.ts";
import { withoutUserInfo } from "../../core/text/url-secret.ts";
import { inOrder } from "../../core/text/words.ts";
import type { FileSource } from "../sources/files.ts";
import type { WorkspaceParts } from "../workspace/read-workspace.ts";
import type { Variables } from "../workspace/variables.ts";
import { openBudget } from "../yaml/budget.ts";
import { readDocuments } from "../yaml/parse-documents.ts";
import { readText } from "../yaml/read-text.ts";
import { collect, pointOf } from "../yaml/source-text.ts";
import { plain, scalarAt, type Tree } from "../yaml/tree.ts";
import type { TrustedRules } from "./trusted-rules.ts";

/** Returns how a workspace changes the trusted rules, value by value; empty if its rules are the same. */
export async function ruleChanges(
  workspaceFile: string,
  own: WorkspaceParts,
  files: FileSource,
  trusted: TrustedRules,
): Promise<readonly RuleChange[]> {
  const schemas = [...new Set([...trusted.parts.policies, ...own.policies].map(({ schema }) => schema))];
  const [before, now] = await Promise.all(
    [trusted.source, files].map((source) => Promise.all(schemas.map((schema) => schemaTree(source, schema)))),
  );
  return [
    ...treeChanges(workspaceFile, trusted.parts.tree, own.tree),
    ...own.files.flatMap(({ file, variables }) =>
      variableChanges(file, trusted.parts.files.find((one) => one.file === file)?.variables, variables),
    ),
    ...schemas.flatMap((schema, index) => treeChanges(schema, before?.[index], now?.[index])),
  ];
}

/** Returns a policy's schema; undefined if there is no such file. A schema that is not YAML is represented by its text. */
async function schemaTree(files: FileSource, schema: string): Promise<Tree | undefined> {
  const { result } = await collect(async (report): Promise<Tree> => {
    const source = await readText(files, schema);
    const { documents, isSound } = readDocuments(source, openBudget(), report);
    const [tree] = documents;
    if (tree !== undefined && isSound) return tree;
    return scalarAt({ source, start: 0, end: 0 }, source.text);
  });
  return result;
}

function variableChanges(file: string, before: Variables = new Map(), now: Variables): readonly RuleChange[] {
  const names = [...new Set([...before.keys(), ...now.keys()])].sort(inOrder);
  return names.flatMap((name) => treeChanges(file, before.get(name), now.get(name), [name]));
}

/** Returns the smallest parts in which two trees differ. Entries of lists are matched by name. */
function treeChanges(
  file: string,
  before: Tree | undefined,
  now: Tree | undefined,
  path: readonly string[] = [],
): readonly RuleChange[] {
  if (before === undefined && now === undefined) return [];
  const [old, fresh] = [before && entriesOf(before), now && entriesOf(now)];
  if (old !== undefined && fresh !== undefined) {
    const names = [...new Set([...old.keys(), ...fresh.keys()])].filter(
      (name) => path.length > 0 || name !== "$schema",
    );
    const inner = names.flatMap((name) => treeChanges(file, old.get(name), fresh.get(name), [...path, name]));
    // The order of a list's entries can matter.
    const isOrdered = before?.is !== "list" || sameJson([...old.keys()], [...fresh.keys()]);
    if (inner.length > 0 || isOrdered) return inner;
  }
  if (sameJson(before && exactly(before), now && exactly(now))) return [];
  const values = { trusted: before && shownValue(before), head: now && shownValue(now), place: now && pointOf(now) };
  return [{ file, path, ...defined(values) }];
}

/** Returns the parts of a mapping, or of a list whose entries all have a unique name; undefined for any other tree. */
function entriesOf(tree: Tree): ReadonlyMap<string, Tree> | undefined {
  if (tree.is === "mapping") return new Map(tree.entries.map(({ key, value }) => [key.name, value]));
  if (tree.is === "scalar" || tree.entries.length === 0) return undefined;
  const entries = new Map(
    tree.entries.map((entry, index) => {
      const value = plain(entry);
      const { name, kind, service } = isObject(value) ? value : {};
      const words = [name ?? kind, name === undefined ? service : undefined].filter((word) => typeof word === "string");
      return [words.join(" ") || `${index}`, entry];
    }),
  );
  const isNamed = [...entries.keys()].every((name) => !/^\d+$/.test(name));
  return isNamed && entries.size === tree.entries.length ? entries : undefined;
}

/** Returns a value that distinguishes all trees. Numbers count as written, because that is how text includes them. */
function exactly(tree: Tree): unknown {
  switch (tree.is) {
    case "scalar":
      return typeof tree.value === "string" ? tree.value : { written: tree.written };
    case "list":
      return tree.entries.map(exactly);
    case "mapping":
      return tree.entries.map(({ key, value }) => [key.name, exactly(value)]);
  }
}

/** Returns the value as JSON. A value that JSON does not have is null. The user in a URL is hidden. */
function shownValue(tree: Tree): Json {
  const text = JSON.stringify(plain(tree), (_name, value: unknown) =>
    typeof value === "string" ? withoutUserInfo(value) : value,
  );
  return Json.parse(JSON.parse(text));
}
