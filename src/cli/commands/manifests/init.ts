import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { credentialVariables, hasCredentials } from "../../../clients/credentials/credentials.ts";
import { allServices, serviceOfRole } from "../../../clients/find-service.ts";
import type { Problem } from "../../../core/problem.ts";
import { type Service, variableOf } from "../../../core/service.ts";
import { shellWord } from "../../../core/text/words.ts";
import { folderProblems, type PreparedFile, prepareWorkspace } from "../../../engine/new-workspace.ts";
import { schemasFrom } from "../../../engine/schemas.ts";
import { newFiles, workspaceFileName } from "../../../manifests/new-workspace/new-files.ts";
import { type NewService, readService, serviceForm } from "../../../manifests/new-workspace/new-service.ts";
import { legend } from "../../../reports/meanings.ts";
import { pad, wrap } from "../../../reports/text/layout.ts";
import { type ScreenOptions, styleOf, visible } from "../../../reports/text/style.ts";
import { openWorkspace, ProblemError } from "../../../setpoint.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { failWith, type Output, type OutputOptions, openOutput, show } from "../../terminal/output.ts";
import { progressLine } from "../../terminal/progress.ts";
import { renderExamined } from "../doctor.ts";
import { importedJson, renderImported } from "./import.ts";

/** Options of `setpoint init`, whose argument is a folder. */
export interface InitOptions extends OutputOptions {
  /** As `name=product:address`. */
  readonly service: readonly string[];
  readonly import: boolean;
  readonly yes: boolean;
}

/**
 * `setpoint init`: makes a workspace, overwrites nothing, and checks whether its services can be reached. Asks for what the
 * options do not say.
 */
export async function init(folder: string, options: InitOptions, signal: AbortSignal): Promise<ExitCode> {
  const output = openOutput(options);
  const asks = !options.yes && !options.json && process.stdin.isTTY && process.stdout.isTTY;
  const { services: given, problems: mistakes } = readServices(options.service);
  const unusable = await folderProblems(folder);
  const present = unusable.length === 0 ? await presentWorkspace(folder) : undefined;
  const schemas = schemasFrom(resolve(folder), resolve(folder));
  const prepare = (services: readonly NewService[]) => {
    const wanted = newFiles({ services, schemas, manifests: present?.manifests });
    return prepareWorkspace(folder, wanted, present === undefined ? ["manifests/"] : []);
  };
  // Checked before asking anything, because files that are in the way do not depend on the answers.
  const before = unusable.length === 0 ? await prepare(given) : undefined;
  const problems = [
    ...unusable,
    ...mistakes,
    ...(present?.problems ?? []),
    ...missingFrom(present, given),
    ...(present === undefined && options.service.length === 0 && !asks ? [unnamed] : []),
    ...(before?.is === "wrong" ? before.problems : []),
  ];
  if (problems.length > 0) return failWith(output, { problems }, "Nothing was written.", exitCodes.wrong);

  const asking = { signal, color: output.color };
  const questions = asks ? await import("../../init/questions.ts") : undefined;
  const chosen = present?.services ?? (given.length > 0 ? given : await questions?.askServices(allServices, asking));
  if (chosen === undefined || signal.aborted) {
    output.print("Nothing was written.");
    return exitCodes.refused;
  }
  const prepared = await prepare(chosen);
  if (prepared.is === "wrong") return failWith(output, prepared, "Nothing was written.", exitCodes.wrong);
  await prepared.write();
  return goOn(
    { folder, hasSchemas: existsSync(resolve(folder, schemas)), files: prepared.files, output, signal },
    async (service) => options.import || (await questions?.askImport(service, asking)) === true,
  );
}

const unnamed: Problem = {
  code: "SP5001",
  message: "init asks for services only on a terminal without --yes and --json.",
  hint: `Name each with --service ${serviceForm}.`,
};

/** Reads the services that options name, with all their problems. */
function readServices(words: readonly string[]) {
  const services: NewService[] = [];
  const problems: Problem[] = [];
  const names: string[] = [];
  for (const word of words) {
    const read = readService(word, allServices, names);
    names.push(word.split("=", 1).join());
    if (read.is === "service") services.push(read.service);
    else
      problems.push(...read.mistakes.map((message) => ({ code: "SP5001" as const, message: `--service ${message}` })));
  }
  return { services, problems };
}

/** An existing workspace. */
interface Present {
  readonly services: readonly Service[];
  readonly manifests: readonly string[];
  readonly problems: readonly Problem[];
}

async function presentWorkspace(folder: string): Promise<Present | undefined> {
  if (!existsSync(join(folder, workspaceFileName))) return undefined;
  const { workspace, problems } = await openWorkspace({ path: resolve(folder) }).validate();
  // Problems in manifests are left for `validate` to report.
  if (workspace === undefined) return { services: [], manifests: [], problems };
  return { services: workspace.services, manifests: workspace.manifests, problems: [] };
}

/** A problem for each given service that an existing workspace does not declare exactly like that. */
function missingFrom(present: Present | undefined, given: readonly NewService[]): readonly Problem[] {
  if (present === undefined || present.problems.length > 0) return [];
  return given
    .filter(
      ({ name, type, url }) =>
        !present.services.some((one) => one.name === name && one.type === type && one.url === url),
    )
    .map(({ name, type, url }) => ({
      code: "SP5001" as const,
      message: `${workspaceFileName} already exists, and does not declare ${name} like this.`,
      hint: `Add under its services: ${name}: { type: ${type}, url: ${JSON.stringify(url)} }`,
    }));
}

/** What has been made so far. */
interface Made {
  readonly folder: string;
  readonly hasSchemas: boolean;
  readonly files: readonly PreparedFile[];
  readonly output: Output;
  readonly signal: AbortSignal;
}

/** Says what was written, checks whether the services can be reached, imports what is wanted, and says what to do next. */
async function goOn(made: Made, isWanted: (service: string) => Promise<boolean>): Promise<ExitCode> {
  const { folder, hasSchemas, files, output, signal } = made;
  const progress = progressLine({});
  const workspace = openWorkspace({ path: resolve(folder), signal, onProgress: progress.show });
  const { workspace: read, problems } = await workspace.validate();
  if (read === undefined) return failWith(output, { problems }, "The files were written.", exitCodes.wrong);
  const services = read.services.map(describe);
  const say = (text: string) => {
    if (!output.json && text !== "") output.print(`${text}\n\n`);
  };
  say(renderFiles(files, output));
  say(renderCredentials(services, output));

  const ready = services.filter((service) => service.hasCredentials).map(({ name }) => name);
  const diagnosis = ready.length === 0 ? undefined : await workspace.doctor().finally(progress.end);
  if (diagnosis?.is === "wrong") return failWith(output, diagnosis, "No service was asked.", exitCodes.wrong);
  const examined = diagnosis?.services.filter(({ name }) => ready.includes(name)) ?? [];
  if (examined.length > 0) say(renderExamined(examined, diagnosis?.errors ?? 0, output));
  const isWell = (name: string) =>
    examined.some((one) => one.name === name && one.findings.every(({ result }) => result !== "wrong"));

  const imports = [];
  for (const name of ready.filter(isWell)) {
    if (!(await isWanted(name))) continue;
    // Opened again, because an import adds manifests.
    const importing = await openWorkspace({ path: resolve(folder), signal, onProgress: progress.show })
      .importFrom(name)
      .finally(progress.end);
    if (importing.is === "wrong") throw new ProblemError(...importing.problems);
    importing.write();
    imports.push({ service: name, ...importedJson(importing) });
    say(`${styleOf(output).paint("bold", name)}\n${renderImported(importing, output)}`);
  }
  const state = { folder, services, hasSchemas, imported: imports.length > 0 };
  show(output, { folder: resolve(folder), files, services, examined, imported: imports }, () =>
    renderNext({ ...state, isWell: services.every(({ name }) => isWell(name)) }, output),
  );
  if (examined.some(({ findings }) => findings.some(({ result }) => result === "wrong"))) return exitCodes.wrong;
  return imports.some((one) => one.problems.length > 0) ? exitCodes.unknown : exitCodes.ok;
}

function describe(service: Service): Described {
  const { credentials } = serviceOfRole(service.role);
  const { name, type, url } = service;
  return {
    name,
    type,
    url,
    urlVariable: variableOf(service, "URL"),
    credentials: credentialVariables(service, credentials),
    source: credentials.source,
    hasCredentials: hasCredentials(service, process.env, credentials),
  };
}

/** A service, with the names of its credentials. */
interface Described extends NewService {
  /** The variable that ties the credentials to the address. */
  readonly urlVariable: string;
  /** Sets of variables, the preferred one first. One set is also needed. */
  readonly credentials: readonly (readonly string[])[];
  /** Where to create the secret of an account. */
  readonly source: string;
  /** Whether there are credentials in the environment or a netrc file. */
  readonly hasCredentials: boolean;
}

const glyphs = { created: "+", extended: "~", kept: " " } as const;
const meanings = { created: "create", extended: "update", kept: "aside" } as const;

function renderFiles(files: readonly PreparedFile[], options: ScreenOptions): string {
  const { paint } = styleOf(options);
  return files
    .map(({ file, is }) => paint(legend[meanings[is]].paint, `  ${glyphs[is]} ${pad(is, 8)}  ${file}`))
    .join("\n");
}

/**
 * The variables to set for the services without credentials, ready to paste, and where to create the secrets. Nothing is a
 * comment, which an interactive zsh runs as a command, and no > is without quotes, because a shell would write a file.
 */
function renderCredentials(services: readonly Described[], options: ScreenOptions): string {
  const { paint, width } = styleOf(options);
  const missing = services.filter(({ hasCredentials }) => !hasCredentials);
  if (missing.length === 0) return "";
  const intro = "Set the credentials in your shell or in the pipeline, never in a file of the repository:";
  return [
    ...wrap(intro, width),
    ...missing.flatMap(({ name, type, url, urlVariable, credentials: [first = [], ...others], source }) => [
      "",
      paint("bold", `${name} (${type})`),
      ...wrap(`made in "${source}"`, width, "  ", "    "),
      `  export ${urlVariable}=${visible(shellWord(url))}`,
      ...first.map((variable) => `  export ${variable}=`),
      ...others.map((variables) => `  or ${variables.join(" and ")}${variables.length === 1 ? " alone" : ""}`),
    ]),
  ].join("\n");
}

function renderNext(
  state: {
    readonly folder: string;
    readonly services: readonly Described[];
    readonly imported: boolean;
    /** Whether every service has just been examined, and nothing is wrong. */
    readonly isWell: boolean;
    /** Whether the schemas that the editors' settings name are installed. */
    readonly hasSchemas: boolean;
  },
  options: ScreenOptions,
): string {
  const { folder, services, imported, isWell, hasSchemas } = state;
  const importable = (services.find(({ hasCredentials }) => hasCredentials) ?? services[0])?.name;
  const steps = [
    ...(folder === "." ? [] : [[`cd ${visible(shellWord(folder))}`, ""]]),
    ...(hasSchemas ? [] : [["npm install --save-dev setpoint", "editors read its schemas"]]),
    ...(isWell ? [] : [["setpoint doctor", "can they be reached, and who am I there?"]]),
    ...(imported || importable === undefined
      ? []
      : [[`setpoint import ${importable}`, "write the first manifests, from what exists"]]),
    ["setpoint plan", "what an apply would do; only reads"],
  ];
  const { paint } = styleOf(options);
  return [
    "Next:",
    ...steps.flatMap(([command, why = ""]) => [`  ${command}`, ...(why === "" ? [] : [paint("dim", `      ${why}`)])]),
  ].join("\n");
}
