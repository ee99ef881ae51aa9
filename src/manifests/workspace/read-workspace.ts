import type { z } from "zod";
import type { Risk } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import type { Place } from "../../core/resource.ts";
import type { Service, ServiceType } from "../../core/service.ts";
import { shapeOf } from "../../core/text/json-schema.ts";
import { didYouMean, quote } from "../../core/text/words.ts";
import type { StatedTrigger } from "../../core/trigger.ts";
import { reportSecrets } from "../documents/documents.ts";
import { type Services, whyNotThere, whyNowhere } from "../documents/service-for.ts";
import { substitute } from "../documents/template.ts";
import { reportIssues } from "../shape/issues.ts";
import { readable } from "../sources/readable.ts";
import { openBudget } from "../yaml/budget.ts";
import { readDocuments } from "../yaml/parse-documents.ts";
import { otherEnding, readText } from "../yaml/read-text.ts";
import { placeOf, problemAt, type Range, type ReportProblem } from "../yaml/source-text.ts";
import { entryOf, follow, type Mapping, plain, type Spot, type Tree, valueRange } from "../yaml/tree.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { escapedVariables, factsTree, triggersOf } from "./on-applied.ts";
import { withoutCredentials } from "./service-secrets.ts";
import { type ReadVariables, readAllVariables, type VariableOptions, variableFiles } from "./variables.ts";
import { type Policy, serviceEntry, workspaceFile } from "./workspace-schema.ts";

/** The content of a workspace file. */
export interface Workspace {
  readonly services: readonly Service[];
  readonly guards: {
    readonly maxDeletes?: number | undefined;
    readonly maxDeletePercent: number;
    readonly accept: readonly Risk[];
  };
  /** Globs of the manifests. */
  readonly manifests: readonly string[];
  readonly exclusive: readonly Exclusive[];
  readonly limits: Limits;
  /** Calls after a complete apply, in order. */
  readonly onApplied: readonly StatedTrigger[];
}

/** A kind whose undeclared objects should not exist. */
export interface Exclusive {
  readonly kind: string;
  /** By default, all services of the kind's role. */
  readonly service?: string | undefined;
  /** Patterns of keys to keep. */
  readonly except: readonly string[];
  /** The place of the entry in the workspace file. */
  readonly place: Place;
}

/** The usable parts of a workspace file, even if others are invalid. */
export interface WorkspaceParts extends ReadVariables {
  /** Undefined if anything is invalid. */
  readonly workspace: Workspace | undefined;
  readonly services: Services;
  readonly globs: readonly { readonly glob: string; readonly at: Range }[];
  /** Globs of dotfiles that may be read. */
  readonly dotfiles: readonly string[];
  /** The file with its variables filled in. */
  readonly tree: Mapping;
  readonly exclusive: Tree | undefined;
  readonly policies: readonly PlacedPolicy[];
  readonly limits: Limits;
  /** The place of the limits, or where they would be. */
  readonly limitsAt: Range;
}

/** A policy with its entry in the workspace file. */
export interface PlacedPolicy extends Policy {
  readonly entry: Tree;
}

export interface WorkspaceOptions extends VariableOptions {
  /** The types that services may have. */
  readonly types: readonly ServiceType[];
}

/** Reads the workspace file and all variables. Throws `ProblemError` if there is no such file. */
export async function readWorkspace(
  given: WorkspaceOptions,
  report: ReportProblem,
): Promise<WorkspaceParts | undefined> {
  const named = [given.workspaceFile, ...variableFiles(given)];
  const options = { ...given, source: readable(given.source, { named }) };
  const other = otherEnding(options.workspaceFile);
  const isNear = await options.source.size(other).then(Boolean, () => false);
  const hint = isNear
    ? `Rename ${other}, or name it with --workspace.`
    : "Run setpoint in the folder of the workspace file, name it with --workspace (not a link to it), or make one with setpoint init.";
  const source = await readText(options.source, options.workspaceFile, { code: "SP1013", hint });
  const budget = openBudget();
  const { documents, isSound } = readDocuments(source, budget, report);
  const [root, second] = documents;
  // A file that cannot be read is already reported, and is not also reported as not being a mapping.
  if (root === undefined && !isSound) return undefined;
  if (second !== undefined) report(problemAt(second, "SP1002", "A workspace file has one document."));
  if (root?.is !== "mapping") {
    const at = root ?? { source, start: 0, end: 0 };
    report(problemAt(at, "SP1002", "A workspace file is a mapping with version and services."));
    return undefined;
  }
  const { variables, files } = await readAllVariables(options, root, report);
  const substitution = { scope: { variables, each: undefined }, budget, report };
  const ofRun = { ...substitution, scope: { variables: escapedVariables(variables), each: undefined, run: factsTree } };
  const filled = new Map([
    ["services", substitution],
    ["onApplied", ofRun],
  ]);
  const tree = {
    ...root,
    entries: root.entries.map(({ key, value }) => {
      const how = filled.get(key.name);
      const whole = how === undefined ? value : substitute(value, how);
      return { key, value: key.name === "services" ? withoutCredentials(whole, report) : whole };
    }),
  };
  return { ...partsOf(tree, options.types, report), tree, variables, files };
}

function partsOf(
  tree: Mapping,
  types: readonly ServiceType[],
  report: ReportProblem,
): Omit<WorkspaceParts, "tree" | keyof ReadVariables> {
  const file = workspaceFile(types);
  const declared = entryOf(tree, "services")?.value;
  const onApplied = entryOf(tree, "onApplied")?.value;
  for (const part of [declared, onApplied]) if (part !== undefined) reportSecrets(part, undefined, report);
  const parsed = file.safeParse(plain(tree));
  if (!parsed.success)
    reportIssues({ name: "The workspace", root: tree, path: [], shape: shapeOf(file) }, parsed.error.issues, report);
  const entry = serviceEntry(types);
  const services = new Map(
    (declared?.is === "mapping" ? declared.entries : []).map(({ key, value }) => [
      key.name,
      serviceOf(key.name, entry.safeParse(plain(value)).data, types),
    ]),
  );
  const triggers = triggersOf(onApplied, services, types, report);
  const globs = entryOf(tree, "manifests")?.value;
  const files = entryOf(tree, "files")?.value;
  const patterns = file.shape.manifests.safeParse(globs && plain(globs));
  return {
    workspace: parsed.success
      ? {
          ...parsed.data,
          services: [...services.values()].filter((service) => service !== undefined),
          onApplied: triggers,
          exclusive: parsed.data.exclusive.map((entry, index) => ({
            ...entry,
            place: placeOf(follow(tree, ["exclusive", index]).tree),
          })),
        }
      : undefined,
    services,
    globs: (patterns.data ?? []).map((glob, index) => ({
      glob,
      at: globs?.is === "list" ? (globs.entries[index] ?? globs) : (tree.entries[0]?.key ?? tree),
    })),
    dotfiles: file.shape.files.safeParse(files && plain(files)).data ?? [],
    exclusive: entryOf(tree, "exclusive")?.value,
    policies: policiesOf(tree, file),
    limits: parsed.success ? parsed.data.limits : defaultLimits,
    limitsAt: (entryOf(tree, "limits") ?? tree.entries[0])?.key ?? tree,
  };
}

function policiesOf(tree: Mapping, file: ReturnType<typeof workspaceFile>): readonly PlacedPolicy[] {
  const list = entryOf(tree, "policies")?.value;
  const parsed = file.shape.policies.safeParse(list && plain(list));
  const entries = list?.is === "list" ? list.entries : [];
  return (parsed.data ?? []).flatMap((policy, index) => {
    const entry = entries[index];
    return entry === undefined ? [] : [{ ...policy, entry }];
  });
}

function serviceOf(
  name: string,
  service: z.infer<ReturnType<typeof serviceEntry>> | undefined,
  types: readonly ServiceType[],
): Service | undefined {
  const type = types.find((one) => service !== undefined && one.types.includes(service.type));
  if (service === undefined || type === undefined) return undefined;
  const elsewhere = Object.entries(type.roots ?? {}).map(([root, { default: url }]) => [root, url(service.url)]);
  return { ...service, urls: { ...Object.fromEntries(elsewhere), ...service.urls }, name, role: type.role };
}

/**
 * Reports kinds that cannot be exclusive: SP1008 for unknown ones, SP1002 for those that have no list or cannot be deleted,
 * and SP1009 for a service that does not exist or does not have the kind.
 */
export function checkExclusive(
  { exclusive, services }: WorkspaceParts,
  kinds: ReadonlyMap<string, Kind>,
  report: ReportProblem,
): void {
  for (const entry of exclusive?.is === "list" ? exclusive.entries : []) {
    const [kindSpot, serviceSpot] = [follow(entry, ["kind"]), follow(entry, ["service"])];
    const [name, service] = [textAt(kindSpot), textAt(serviceSpot)];
    if (name === undefined) continue;
    const at = valueRange(kindSpot);
    const kind = kinds.get(name);
    if (kind === undefined)
      report(problemAt(at, "SP1008", `There is no kind ${quote(name)}.${didYouMean(name, kinds.keys())}`));
    else {
      const reason = whyNeverExclusive(kind);
      if (reason !== undefined) report(problemAt(at, "SP1002", `${name} cannot be exclusive: ${reason}.`));
      const missing = serviceSpot.found ? undefined : whyNowhere(kind, services);
      if (missing !== undefined) report(problemAt(at, "SP1009", missing));
    }
    const wrong = service === undefined ? undefined : whyNotThere(kind, service, services);
    if (wrong !== undefined) report(problemAt(valueRange(serviceSpot), "SP1009", wrong));
  }
}

function textAt({ found, tree }: Spot): string | undefined {
  const value = found ? plain(tree) : undefined;
  return typeof value === "string" ? value : undefined;
}

function whyNeverExclusive(kind: Kind): string | undefined {
  if (kind.permanent === true) return "it always exists";
  return kind.list === undefined ? "its objects cannot be listed" : undefined;
}
