import type { Kind } from "../core/kind.ts";
import type { ReadLiveList } from "../core/live-list.ts";
import type { Problem } from "../core/problem.ts";
import type { Resource } from "../core/resource.ts";
import type { Service } from "../core/service.ts";
import { sinkFiles } from "../core/sink.ts";
import { pathPattern } from "../core/text/glob.ts";
import { canonicalJson } from "../core/text/json.ts";
import { foldedPath } from "../core/text/private-path.ts";
import { reasonOf } from "../core/text/reason.ts";
import { quote } from "../core/text/words.ts";
import type { Known } from "./documents/documents.ts";
import { liveListsOf } from "./documents/live-list.ts";
import { linked, withoutConflicts } from "./documents/resources.ts";
import type { PolicyCheck } from "./policies/policies.ts";
import { readPolicies } from "./policies/read-policies.ts";
import { readDeclarations, readResources } from "./read-manifests.ts";
import type { FileSource } from "./sources/files.ts";
import { readable } from "./sources/readable.ts";
import { underTrusted } from "./trust/combine.ts";
import type { TrustedRules } from "./trust/trusted-rules.ts";
import { type Limits, stricterLimits } from "./workspace/limits.ts";
import {
  checkExclusive,
  readWorkspace,
  type Workspace,
  type WorkspaceOptions,
  type WorkspaceParts,
} from "./workspace/read-workspace.ts";
import { untakenVariables, variableFiles } from "./workspace/variables.ts";
import { openBudget } from "./yaml/budget.ts";
import { otherEnding, readText } from "./yaml/read-text.ts";
import { byPlace, collect, problemAt, type ReportProblem } from "./yaml/source-text.ts";

export interface LoadOptions extends WorkspaceOptions {
  readonly kinds: ReadonlyMap<string, Kind>;
  /** Reads the lists that documents are repeated over. Without it, such documents declare nothing. */
  readonly readLiveList?: (services: readonly Service[]) => ReadLiveList;
  /** Whether documents of a service are repeated over lists. Those that are not declare nothing. Defaults to all. */
  readonly repeats?: Known["repeats"];
  /** Where to look for manifests that no glob finds. Defaults to `source`. */
  readonly besides?: FileSource;
  /** Globs that are allowed to match nothing: they matched at the base, and their last manifest has since been deleted. */
  readonly emptied?: ReadonlySet<string>;
  /** Files that the base delivers secrets to, in addition to those of the manifests themselves. */
  readonly sinks?: ReadonlySet<string>;
  /** Whether to compute the checksums of the files that a resource names. By default such files are only checked to be there. */
  readonly digests?: (resource: Resource) => boolean;
  /** False to skip the policies of the workspace, for example for declarations of the past. */
  readonly policies?: boolean;
  /** The rules that judge the manifests, instead of those of the workspace. */
  readonly trusted?: TrustedRules;
  /** Limits in addition to those of the workspace, which cannot raise them. */
  readonly limits?: Limits;
  /** Checks in addition to those of the policies. */
  readonly checks?: readonly PolicyCheck[];
}

/** What a workspace declares, and every error in it. */
export interface Loaded {
  /** Undefined if the workspace file is missing or invalid. */
  readonly workspace: Workspace | undefined;
  /** Sorted by address, without those that have errors. */
  readonly resources: readonly Resource[];
  /** Sorted by file, line and column. */
  readonly problems: readonly Problem[];
  /** Patterns under `match` that fit nothing. That can be as intended, or a typo that leaves out everything. */
  readonly warnings: readonly Problem[];
  /** The number of manifests read. */
  readonly files: number;
  /** Their names, sorted. */
  readonly manifests: readonly string[];
  /** The globs that match a manifest. */
  readonly matched: ReadonlySet<string>;
  /** The number of manifests with documents that are repeated over a list of a service and could not be expanded. */
  readonly unexpanded: number;
}

/** Returns the result when the problems prevent reading anything. */
export function nothingLoaded(problems: readonly Problem[]): Loaded {
  const none = { resources: [], warnings: [], files: 0, manifests: [], matched: new Set<string>(), unexpanded: 0 };
  return { ...none, workspace: undefined, problems };
}

/** Reads a workspace and its manifests. Errors in them are part of the result and are not thrown. */
export async function load(options: LoadOptions): Promise<Loaded> {
  const { trusted } = options;
  const opened = await collect((report) => readWorkspace(options, report));
  if (opened.result === undefined) return nothingLoaded(opened.problems);
  const parts = trusted === undefined ? opened.result : underTrusted(opened.result, trusted);
  const stated = await collect((report) => checkExclusive(parts, options.kinds, report));
  const reach = { dotfiles: parts.dotfiles, sinks: options.sinks ?? [] };
  const inside = { ...options, source: readable(options.source, reach) };
  const listed = await collect((report) => listManifests(inside, parts, report));
  const known = { services: parts.services, repeats: options.repeats ?? (() => true), kinds: options.kinds };
  const services = [...parts.services.values()].filter((service) => service !== undefined);
  // Keyed, because a file is declared again once its lists are read.
  const warnings = new Map<string, Problem>();
  const warn: ReportProblem = (one) => warnings.set(canonicalJson([one.message, one.place]), one);
  const openLists = liveListsOf(parts.services, options.types, options.readLiveList?.(services), warn);
  const budget = openBudget(stricterLimits(parts.limits, options.limits));
  const names = [...new Set((listed.result ?? []).flatMap(({ found }) => found))].sort();
  // Declarations of the past are judged by their own rules, and need not use the variables that are given now.
  const isPast = options.policies === false;
  const besides = { ...options, source: readable(options.besides ?? options.source, reach) };
  const missed = await collect(async (report) => isPast || reportMissed(besides, parts, new Set(names), report));
  const shared = { budget, limitsAt: parts.limitsAt };
  const given = untakenVariables(options, opened.result);
  for (const { tree } of [parts, trusted?.parts ?? parts]) given.see(tree.source.text);
  const declared = await readDeclarations(
    { ...shared, files: inside.source, known, openLists, variables: parts.variables, see: given.see },
    names,
  );
  // Any manifest can name the file that another one's secret is delivered to, so all are read before the files they name.
  const all = declared.flatMap(({ declarations }) => declarations);
  const delivered = sinkFiles(all.map(({ spec }) => spec));
  const named = readable(options.source, { ...reach, sinks: [...reach.sinks, ...delivered] });
  const settings = new Set(settingsOf(options).map(foldedPath));
  const replacing = all.flatMap(({ spec, at }) => {
    const path = [...sinkFiles([spec])].find((one) => settings.has(foldedPath(one)));
    if (path === undefined) return [];
    const message = `Its secret would replace ${quote(path)}, a file of the workspace itself.`;
    return [problemAt(at, "SP1016", message, { hint: "Deliver it to a file of its own." })];
  });
  const { rules, problems: faults } =
    trusted === undefined
      ? await readPolicies({ ...options, source: named, budget }, parts)
      : { rules: trusted.policies, problems: [] };
  const checks = [...rules.map(({ check }) => check), ...(options.checks ?? [])];
  const { digests = () => false } = options;
  const read = await readResources({ ...shared, files: named, digests, delivered, checks }, declared);
  // A link can point to a document with an error. Reporting it as missing would only repeat that error.
  const isSound = [opened, stated, listed, read].every(({ problems }) => problems.length === 0);
  const isSettled = opened.problems.length === 0;
  const untaken = isSound && !isPast ? given.problems() : [];
  const joined = await collect((report) => (isSound ? linked(read.placed, report) : read.placed));
  const merged = await collect((report) => withoutConflicts(joined.result ?? [], services, report));
  return {
    workspace: parts.workspace,
    resources: merged.result ?? [],
    problems: [opened, stated, listed, missed, { problems: faults }, read, { problems: untaken }, joined, merged]
      .flatMap(({ problems }) => problems)
      .concat(replacing)
      // A service that an error in the workspace file hides is not reported again as unknown in each manifest.
      .filter(({ code, place }) => isSettled || code !== "SP1009" || place?.file === options.workspaceFile)
      .sort(byPlace),
    warnings: [...warnings.values()].sort(byPlace),
    files: names.length,
    manifests: names,
    matched: new Set((listed.result ?? []).flatMap(({ glob, found }) => (found.length > 0 ? [glob] : []))),
    unexpanded: declared.filter(({ unexpanded }) => unexpanded).length,
  };
}

/** Returns the files of the workspace besides its manifests and policies. */
function settingsOf(options: LoadOptions): readonly string[] {
  return [options.workspaceFile, ...variableFiles(options)];
}

const noneYet =
  "If there are none yet: `setpoint import <service>` writes what exists, and `setpoint explain <Kind>` shows how to write one.";

const dotted =
  "What has a name that begins with a dot, or is in such a folder, is only found if `files` allows it too.";

/**
 * Returns the files that each glob finds, without those of the workspace itself. Reports SP1013 for a glob that finds
 * none, unless it is in `emptied` or in the trusted rules, and SP1017 if files cannot be listed.
 */
async function listManifests(options: LoadOptions, { globs, policies }: WorkspaceParts, report: ReportProblem) {
  const { trusted } = options;
  const settings = settingsOf(options);
  const schemas = policies.map(({ schema }) => schema);
  const own = new Set([...settings, ...(trusted?.parts.policies.map(({ schema }) => schema) ?? [])]);
  // A new policy cannot make a manifest disappear by naming it as its schema.
  for (const schema of schemas) if (trusted?.manifests.has(schema) !== true) own.add(schema);
  const mayBeEmpty = (glob: string) =>
    options.emptied?.has(glob) === true || trusted?.parts.globs.some((one) => one.glob === glob) === true;
  return Promise.all(
    globs.map(async ({ glob, at }) => {
      const list = options.source.list([glob]).catch((error: unknown) => {
        const hint =
          "Check out what is missing, replace links with files, and make everything readable; or narrow the glob.";
        report(problemAt(at, "SP1017", `The manifests cannot be listed: ${reasonOf(error)}.`, { hint }));
      });
      const found = (await list)?.filter((file) => !own.has(file));
      if (found?.length === 0 && !mayBeEmpty(glob))
        report(
          problemAt(at, "SP1013", `No manifest matches ${quote(glob)}.`, {
            hint: /(^|\/)\.\w/.test(glob) ? dotted : noneYet,
          }),
        );
      return { glob, found: found ?? [] };
    }),
  );
}

/** The maximum number of files to look into: if a wide glob finds more, they are probably not manifests. */
const mostFiles = 100;

/**
 * Reports SP1013 for manifests that no glob finds because they have the other extension, `.yaml` or `.yml`. Unreported,
 * they would be skipped in a run that succeeds.
 */
async function reportMissed(
  { source, kinds }: { readonly source: FileSource; readonly kinds: ReadonlyMap<string, Kind> },
  { globs }: Pick<WorkspaceParts, "globs">,
  known: ReadonlySet<string>,
  report: ReportProblem,
): Promise<void> {
  const others = globs.flatMap(({ glob, at }) => {
    const other = otherEnding(glob);
    return other === glob ? [] : [{ at, other, matches: pathPattern([other]) }];
  });
  if (others.length === 0) return;
  // Errors in listing folders are already reported.
  const listed = await source.list(others.map(({ other }) => other)).catch(() => []);
  const missed = listed.filter((file) => !known.has(file)).slice(0, mostFiles);
  const texts = await Promise.all(missed.map((file) => readText(source, file).catch(() => undefined)));
  for (const [index, file] of missed.entries()) {
    const [, kind = ""] = /^kind:[ \t]*["']?(\w+)/m.exec(texts[index]?.text ?? "") ?? [];
    const near = others.find(({ matches }) => matches(file));
    if (near === undefined || !kinds.has(kind)) continue;
    const hint = `Rename it, or add the glob ${near.other}.`;
    report(problemAt(near.at, "SP1013", `No glob finds ${quote(file)}, which declares ${kind}.`, { hint }));
  }
}
