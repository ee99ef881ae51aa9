import { posix } from "node:path";
import type { Kind, LocalFile } from "../../core/kind.ts";
import { onceEach } from "../../core/once.ts";
import { type Problem, ProblemError, problemsOf } from "../../core/problem.ts";
import { formatAddress, type Resource, strangeInKey } from "../../core/resource.ts";
import { oneServer, type Service } from "../../core/service.ts";
import { sinkOf } from "../../core/sink.ts";
import { longestPath } from "../../core/text/private-path.ts";
import { reasonOf } from "../../core/text/reason.ts";
import { inOrder, quote, utf8Text } from "../../core/text/words.ts";
import type { FileSource } from "../sources/files.ts";
import { tooLong } from "../sources/readable.ts";
import { placeOf, pointOf, problemAt, type Range, type ReportProblem, sourceText } from "../yaml/source-text.ts";
import { firstIn, follow, type Tree } from "../yaml/tree.ts";
import { type Declaration, specTree } from "./documents.ts";

/** The maximum number of files that one resource can name. */
const maxFiles = 1000;

/** A resource together with the facts for comparing it with the others. */
export interface Placed {
  readonly resource: Resource;
  readonly kind: Kind;
  readonly claims: readonly string[];
  readonly at: Range;
  /** Texts of the files that it includes, by path relative to its manifest. */
  readonly contents: ReadonlyMap<string, string>;
}

/** A specification without file names, and the texts of the files that were read for it. */
type Inlined = Pick<Placed, "contents"> & { readonly spec: unknown; readonly namesLarge?: boolean };

/** The files that documents name, and whether the checksums that a resource needs are computed. */
export interface NamedFiles {
  readonly files: FileSource;
  readonly digests: (resource: Resource) => boolean;
}

/**
 * Turns a declaration into a resource; synchronously, if its kind names no files. The problems are SP1002, if its key
 * cannot be part of an address, and those that `inlined` and the kind throw.
 */
export function placed(declaration: Declaration, named: NamedFiles): Reading | Promise<Reading> {
  const { kind, spec } = declaration;
  if (kind.inline !== undefined) return placedWithFiles(declaration, kind.inline, named).catch(refused);
  try {
    return resourceOf(declaration, { spec, contents: noContents });
  } catch (error) {
    return refused(error);
  }
}

/** A resource, or the reason why there is none. */
type Reading = Placed | { readonly problems: readonly Problem[] };

function refused(error: unknown): Reading {
  return { problems: problemsOf(error) };
}

/** Large files are only checked at first: whether their checksums are needed depends on the resource. */
async function placedWithFiles(
  declaration: Declaration,
  inline: NonNullable<Kind["inline"]>,
  { files, digests }: NamedFiles,
): Promise<Placed> {
  const checked: FileSource = { ...files, digest: async (path) => void (await files.check(path)) };
  const first = await inlined(declaration, inline, checked);
  const found = resourceOf(declaration, first);
  if (!first.namesLarge || !digests(found.resource)) return found;
  return resourceOf(declaration, await inlined(declaration, inline, files, first.contents));
}

const noClaims: readonly string[] = [];
const noContents: Placed["contents"] = new Map();

function resourceOf(declaration: Declaration, { spec, contents }: Inlined): Placed {
  const { kind, service, metadata, document, at, repeated, listed } = declaration;
  const key = kind.key(spec);
  if (strangeInKey.test(key))
    throw new ProblemError(
      problemAt(at, "SP1002", `The key ${quote(key)} contains a control character or a line break.`),
    );
  const resource: Resource = {
    address: formatAddress(service.name, kind.kind, key),
    service: service.name,
    role: service.role,
    kind: kind.kind,
    key,
    scope: kind.scope(spec),
    spec,
    metadata,
    place: placeOf(at),
    ...(repeated === undefined ? {} : { repeated }),
    ...(listed === undefined ? {} : { listed }),
    statedAt: (path: readonly string[]) => {
      if (path.length === 0) return pointOf(at);
      const { entry } = follow(specTree({ document }), path);
      return entry && pointOf(entry.key);
    },
  };
  const claims = metadata.state === "absent" ? noClaims : (kind.claims?.(spec) ?? noClaims);
  return { resource, kind, claims, at, contents };
}

/**
 * Returns the specification with file names replaced by contents or checksums. The kind reads files synchronously, so it
 * is called again whenever it has named a file that had not been read yet. Throws `ProblemError` with SP1017, and what
 * the kind throws, at the document.
 */
async function inlined(
  declaration: Declaration,
  inline: NonNullable<Kind["inline"]>,
  files: FileSource,
  known: Placed["contents"] = noContents,
): Promise<Inlined> {
  const { spec, at } = declaration;
  const contents = new Map(known);
  const digests = new Map<string, LocalFile | undefined>();
  for (;;) {
    let missing: { readonly path: string; readonly read: () => Promise<unknown> } | undefined;
    const { file } = at.source;
    try {
      const whole = inline(
        spec,
        (path) => {
          const text = contents.get(path);
          if (text !== undefined) return text;
          missing = { path, read: async () => contents.set(path, await textBeside(file, path, files)) };
          throw notYet;
        },
        (path) => {
          if (digests.has(path)) return digests.get(path);
          missing = { path, read: async () => digests.set(path, await files.digest(beside(file, path))) };
          throw notYet;
        },
      );
      return { spec: whole, contents, namesLarge: digests.size > 0 };
    } catch (error) {
      if (missing === undefined) throw atDocument(error, at);
    }
    if (contents.size + digests.size >= maxFiles)
      throw new ProblemError(problemAt(at, "SP1017", `The document names more than ${maxFiles} files.`));
    const { path, read } = missing;
    await read().catch((error: unknown) => {
      const isNamed = (part: Tree) => (part.is === "scalar" && part.value === path ? part : undefined);
      const where = firstIn(specTree(declaration), isNamed) ?? at;
      throw new ProblemError(problemAt(where, "SP1017", `${quote(path)} cannot be read: ${reasonOf(error)}.`));
    });
  }
}

/** The maximum size in bytes of a file that a document names: a page, not a manifest. */
const maxTextSize = 4 * 1024 * 1024;

const notYet = new Error("The file has not been read yet.");

/** Returns the path in the workspace of a file named relative to a manifest. */
function besideManifest(manifest: string, path: string): string {
  return posix.join(posix.dirname(manifest), path);
}

/** The same for a file to read. Throws if the path is too long, or if it is absolute, which the join would hide. */
function beside(manifest: string, path: string): string {
  if (path.length > longestPath) throw new Error(tooLong());
  if (path.startsWith("/")) throw new Error("it is not below the folder of the workspace file");
  return besideManifest(manifest, path);
}

async function textBeside(manifest: string, path: string, files: FileSource): Promise<string> {
  const wanted = beside(manifest, path);
  if ((await files.size(wanted)) > maxTextSize) throw new Error("it is larger than 4 MiB");
  const text = utf8Text(await files.read(wanted));
  if (text === undefined) throw new Error("it is not UTF-8 text");
  return text;
}

/** Adds the place of the document to a kind's problems, because kinds do not know places in manifests. */
function atDocument(error: unknown, at: Range): unknown {
  if (!(error instanceof ProblemError)) return error;
  return new ProblemError(
    ...error.problems.map((problem) => ({ ...problemAt(at, problem.code, problem.message), ...problem })),
  );
}

/** Returns the resources with links to files resolved by their kinds. Reports what kinds throw, and omits those resources. */
export function linked(all: readonly Placed[], report: ReportProblem): readonly Placed[] {
  if (all.every(({ kind }) => kind.link === undefined)) return all;
  const madeOf = Map.groupBy(
    all.flatMap((one) => [...one.contents.keys()].map((path) => ({ file: fileKey(one, path), one }))),
    ({ file }) => file,
  );
  return all.flatMap((one) => {
    const { kind, resource } = one;
    if (kind.link === undefined) return [one];
    try {
      const specsOf = (path: string) => (madeOf.get(fileKey(one, path)) ?? []).map((other) => other.one.resource.spec);
      return [{ ...one, resource: { ...resource, spec: kind.link(resource.spec, specsOf) } }];
    } catch (error) {
      const mistake = atDocument(error, one.at);
      if (!(mistake instanceof ProblemError)) throw mistake;
      for (const problem of mistake.problems) report(located(problem, one));
      return [];
    }
  });
}

/** Returns a key for a file, unique for each service and kind. */
function fileKey(one: Placed, path: string): string {
  const { service, kind } = one.resource;
  return JSON.stringify([service, kind, besideManifest(one.at.source.file, path)]);
}

/** Adds the path in the workspace and the excerpt to a problem in a file that the resource includes. */
function located(problem: Problem, one: Placed): Problem {
  const { place } = problem;
  const text = place === undefined ? undefined : one.contents.get(place.file);
  if (place === undefined || text === undefined) return problem;
  const source = sourceText(besideManifest(one.at.source.file, place.file), text);
  const start = (source.lineStarts()[place.line - 1] ?? 0) + place.column - 1;
  return { ...problem, place: placeOf({ source, start, end: start + (place.length ?? 1) }) };
}

/**
 * Returns the resources sorted by address, each once. Reports SP1006 for two resources with one address, and SP1016 for
 * two resources on one server that are the same object or have the same claim, and for two resources on any servers whose
 * secrets would replace each other in a file. The later of the two is reported.
 */
export function withoutConflicts(
  placed: readonly Placed[],
  services: readonly Service[],
  report: ReportProblem,
): readonly Resource[] {
  const servers = oneServer(services);
  const first = new Map<string, Placed>();
  /** The resource behind each claim, by server. */
  const claimed = onceEach((_server: string) => new Map<string, Placed>());
  for (const one of placed) {
    const { resource, kind, claims } = one;
    const [server = resource.service] = kind.ofAccount === true ? [] : (servers.get(resource.service) ?? []);
    const object = server === resource.service ? resource.address : formatAddress(server, kind.kind, resource.key);
    const twin = first.get(object);
    if (twin !== undefined) {
      report(twinProblem(one, twin));
      continue;
    }
    first.set(object, one);
    const owners = claimed(server);
    const rival = claims.find((claim) => owners.has(claim));
    const owner = rival === undefined ? undefined : owners.get(rival);
    if (owner !== undefined) report(conflict(one, owner, `both manage ${rival}`));
    for (const claim of claims) if (!owners.has(claim)) owners.set(claim, one);
  }
  sinkProblems(first.values()).forEach(report);
  return [...first.values()].map(({ resource }) => resource).sort((a, b) => inOrder(a.address, b.address));
}

/**
 * Returns a problem for each resource whose secret would replace that of another one, or be replaced by it. These are no claims,
 * which only the resources of one server share: a file is shared by those of all services.
 */
function sinkProblems(placed: Iterable<Placed>): readonly Problem[] {
  /** The resources of each file by variable; "" is the whole file. */
  const delivered = onceEach((_path: string) => new Map<string, Placed>());
  return [...placed].flatMap((one): readonly Problem[] => {
    const sink = one.resource.metadata.state === "absent" ? undefined : sinkOf(one.resource.spec);
    if (sink === undefined || "command" in sink) return [];
    const [path, name] = "file" in sink ? [sink.file, ""] : [sink.dotenv, sink.name];
    const others = delivered(path);
    const [first] = others.values();
    const other = name === "" ? first : (others.get("") ?? others.get(name));
    if (other === undefined) {
      others.set(name, one);
      return [];
    }
    const place = name !== "" && others.has(name) ? `${name} in the file ${path}` : `the file ${path}`;
    const hint = "Deliver each secret to a file, or to a variable, of its own.";
    return [{ ...conflict(one, other, `are both delivered to ${place}`), hint }];
  });
}

/** The problem of a resource that was declared before, by the same address or by another of the same server. */
function twinProblem(one: Placed, twin: Placed): Problem {
  const { at, resource } = one;
  if (twin.resource.address !== resource.address)
    return conflict(one, twin, `are one object: ${twin.resource.service} and ${resource.service} have the same URL`);
  if (twin.at.source === at.source && twin.at.start === at.start)
    return problemAt(at, "SP1006", `${named(one)} is declared twice by forEach.`);
  return problemAt(at, "SP1006", `${named(one)} is declared twice.`, { other: twin.at });
}

function conflict(one: Placed, other: Placed, what: string): Problem {
  return problemAt(one.at, "SP1016", `${named(other)} and ${named(one)} ${what}.`, { other: other.at });
}

/** The whole address: cut, two of them could look the same. */
function named({ resource }: Placed): string {
  return `"${resource.address}"`;
}
