import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Kind, rolesOf } from "../../core/kind.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import type { Resource } from "../../core/resource.ts";
import type { Service } from "../../core/service.ts";
import { alternatives, didYouMean } from "../../core/suggest.ts";
import { counted } from "../../core/words.ts";
import { connectOnce } from "../../engine/sessions.ts";
import { liveObjects } from "../../engine/undeclared.ts";
import { type ManifestTextOptions, manifestText } from "../../manifests/documents/manifest-text.ts";
import { reasonOf } from "../../manifests/yaml/read-text.ts";
import { kinds } from "../../reconcilers/registry.ts";
import { renderProblems } from "../../reports/problems.ts";
import type { ScreenOptions } from "../../reports/style.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import type { ManifestOptions } from "../options.ts";
import { failWith, openOutput } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { findWorkspace, loadFromDisk } from "../workspace.ts";

export interface ImportOptions extends ManifestOptions {
  readonly kind: readonly string[];
  /** Folder of the manifests, from the workspace's; `manifests/<service>` unless given. */
  readonly out?: string;
}

/**
 * `setpoint import`: writes manifests of what a service has and nobody declares, a file a kind. Cannot write to a
 * service, and overwrites no file.
 */
export async function importManifests(name: string, options: ImportOptions, signal: AbortSignal): Promise<ExitCode> {
  const output = openOutput(options);
  const refuse = (problems: readonly Problem[]) => failWith(output, problems, "Nothing was written.", exitCodes.wrong);
  const connections = connectOnce({ signal });
  try {
    const loaded = await loadFromDisk(options, { readLiveList: connections.readLiveList });
    // A workspace without manifests is where an import begins.
    const mistakes = loaded.problems.filter(({ code }) => loaded.workspace === undefined || code !== "SP1013");
    if (loaded.workspace === undefined || mistakes.length > 0) return refuse(mistakes);
    const { services } = loaded.workspace;
    const service = services.find((one) => one.name === name);
    if (service === undefined) return refuse([unknownService(name, services)]);
    const wanted = wantedKinds(service, options.kind);
    if (wanted.problems.length > 0) return refuse(wanted.problems);

    const now = new Date();
    const { sessions, readers } = await connections.open(services);
    const readsOf = () => sessions.get(name)?.requests.reads ?? 0;
    const endProgress = showProgress(() => `Reading ${name} (${readsOf()}) …`);
    const lists = await Promise.all(
      wanted.listed.map((kind) => liveObjects({ kind, service: name }, { readers, now })),
    ).finally(endProgress);
    if (signal.aborted) throw new ProblemError({ code: "SP5003", message: "The import was interrupted." });

    const live = lists.flatMap((list) => list.live);
    const news = undeclaredAmong(live, loaded.resources);
    const { folder } = findWorkspace(options.workspace);
    const out = options.out ?? `manifests/${name}`;
    const files = filesOf(news, wanted.listed, { out, schema: schemaFrom(folder, out), service: name, services });
    const taken = files.filter(({ file }) => existsSync(join(folder, file)));
    if (taken.length > 0) return refuse(taken.map(({ file }) => alreadyThere(file)));
    write(folder, files);

    const problems = lists.flatMap(({ unlisted }) => unlisted.map(({ problem }) => problem));
    const imported: Imported = {
      files,
      declared: live.length - news.length,
      reads: readsOf(),
      unlisted: wanted.unlisted,
      problems,
    };
    if (output.json) output.print(JSON.stringify(importedJson(imported), null, 2));
    else output.print(renderImported(imported, output));
    return problems.length > 0 ? exitCodes.unknown : exitCodes.ok;
  } finally {
    await connections.close();
  }
}

/** The kinds to import, and those of which a service has no list. */
function wantedKinds(service: Service, names: readonly string[]) {
  const own = [...kinds.values()].filter((kind) => rolesOf(kind).includes(service.role));
  const wanted = own.filter(({ kind }) => names.length === 0 || names.includes(kind));
  const problems = names
    .filter((name) => !own.some(({ kind }) => kind === name))
    .map((name): Problem => {
      const known = own.map(({ kind }) => kind);
      const hint = `Kinds of ${service.name}: ${known.join(", ")}.`;
      return { code: "SP1008", message: `${service.name} has no kind ${name}.${didYouMean(name, known)}`, hint };
    });
  return {
    listed: wanted.filter(({ list }) => list !== undefined),
    unlisted: wanted.filter(({ list }) => list === undefined).map(({ kind }) => kind),
    problems,
  };
}

/** Without what manifests declare, under its address or as a part of something else. */
function undeclaredAmong(live: readonly Resource[], declared: readonly Resource[]): readonly Resource[] {
  const claimsOf = ({ service, kind, spec }: Resource) =>
    (kinds.get(kind)?.claims?.(spec) ?? []).map((claim) => `${service} ${claim}`);
  const addresses = new Set(declared.map(({ address }) => address));
  const claims = new Set(declared.flatMap(claimsOf));
  return live.filter((one) => !addresses.has(one.address) && !claimsOf(one).some((claim) => claims.has(claim)));
}

/** A manifest to be written; `file` from the folder of the workspace. */
interface NewManifest {
  readonly kind: string;
  readonly resources: number;
  readonly file: string;
  readonly text: string;
}

function filesOf(
  resources: readonly Resource[],
  listed: readonly Kind[],
  {
    out,
    services,
    service,
    ...how
  }: ManifestTextOptions & { readonly out: string; readonly services: readonly Service[] },
): readonly NewManifest[] {
  return listed.flatMap((kind) => {
    const specs = resources.filter((resource) => resource.kind === kind.kind).map(({ spec }) => spec);
    const file = join(out, `${kind.kind}.yaml`);
    const isClear = services.filter(({ role }) => rolesOf(kind).includes(role)).length === 1;
    const options = isClear ? how : { ...how, service };
    return specs.length === 0
      ? []
      : [{ kind: kind.kind, resources: specs.length, file, text: manifestText(kind, specs, options) }];
  });
}

/** The schema of manifests as seen from a new file: where the tool is installed below the project, else where it would be. */
function schemaFrom(folder: string, out: string): string {
  const installed = fileURLToPath(new URL("../../../schema/manifest.schema.json", import.meta.url));
  const fromRoot = relative(folder, installed);
  const isClose = fromRoot.split(sep).filter((part) => part === "..").length <= 2 && !isAbsolute(fromRoot);
  const schema = isClose ? installed : join(folder, "node_modules/setpoint/schema/manifest.schema.json");
  return relative(join(folder, out), schema).split(sep).join("/");
}

function write(folder: string, files: readonly NewManifest[]): void {
  try {
    for (const { file, text } of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text, { flag: "wx" });
    }
  } catch (error) {
    throw new ProblemError({ code: "SP1017", message: `A manifest cannot be written: ${reasonOf(error)}.` });
  }
}

function alreadyThere(file: string): Problem {
  return {
    code: "SP1017",
    message: `${file} is there already, and an import overwrites nothing.`,
    hint: "Name another folder with --out, or narrow the import with --kind.",
  };
}

function unknownService(name: string, services: readonly Service[]): Problem {
  const names = services.map((service) => service.name);
  const hint = names.length === 0 ? {} : { hint: `Services of the workspace: ${names.join(", ")}.` };
  return { code: "SP1009", message: `There is no service ${name}.${didYouMean(name, names)}`, ...hint };
}

interface Imported {
  readonly files: readonly NewManifest[];
  /** Live objects that manifests declared before. */
  readonly declared: number;
  readonly reads: number;
  /** Kinds of which the service has no list. */
  readonly unlisted: readonly string[];
  readonly problems: readonly Problem[];
}

function importedJson({ files, problems, ...rest }: Imported) {
  return { version: 1, files: files.map(({ text: _text, ...file }) => file), ...rest, problems };
}

function renderImported({ files, declared, reads, unlisted, problems }: Imported, options: ScreenOptions): string {
  const widest = Math.max(0, ...files.map(({ kind }) => kind.length));
  const resources = files.reduce((sum, file) => sum + file.resources, 0);
  const before = declared === 0 ? "" : ` ${counted(declared, "resource")} were declared before.`;
  return [
    ...files.map((file) => `  + ${file.kind.padEnd(widest)}  ${String(file.resources).padStart(5)}  ${file.file}`),
    ...(problems.length === 0 ? [] : [renderProblems(problems, { ...options, summary: "These kinds were left out." })]),
    ...(unlisted.length === 0 ? [] : [`  The service has no list of ${alternatives(unlisted)}.`]),
    `${counted(resources, "resource")} in ${counted(files.length, "file")} with ${counted(reads, "read")}.${before}`,
  ].join("\n");
}
