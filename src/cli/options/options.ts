import { type Command, InvalidArgumentError, Option } from "commander";
import type { z } from "zod";
import { refusalOf } from "../../core/text/issues.ts";
import { type OpenOptions, type OpenWorkspace, openWorkspace } from "../../setpoint.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { droppedLog, type LogForm, requestLog } from "../terminal/request-log.ts";

/** The signals that end a command. */
export interface Interrupts {
  /** Aborted by the first interrupt: nothing new is sent. */
  readonly stopping: AbortSignal;
  /** Aborted by the second interrupt: everything ends immediately. */
  readonly signal: AbortSignal;
}

/** Options of every command that reads manifests. */
export interface ManifestOptions extends OutputOptions {
  readonly workspace: string;
  readonly environment?: string;
  readonly var: Readonly<Record<string, string>>;
  readonly values: readonly string[];
  readonly trust?: string | undefined;
  readonly log?: LogForm;
  readonly watch?: boolean;
  /** False for `--no-cache`. */
  readonly cache?: boolean;
}

export function addManifestOptions(command: Command): Command {
  const selecting = command
    .option("-w, --workspace <path>", "workspace file, or the folder that has setpoint.yaml", ".")
    .option("-e, --environment <name>", "also read variables from setpoint.<name>.yaml")
    .option("--var <name=value>", "set a variable (repeatable)", addVariable, {})
    .option("--values <file>", "read variables from a YAML file (repeatable)", appendFile, [])
    .option(
      "--trust <git ref>",
      "take services, guards, policies and values from this ref, and only manifests from the folder",
    );
  return addOutputOptions(selecting);
}

export function addOutputOptions(command: Command): Command {
  return command
    .option("--json", "print one JSON object", false)
    .option("--no-color", "print without colour (NO_COLOR works too)");
}

/** Makes the parser of an option that takes the texts of a schema. */
export function acceptedBy(schema: z.ZodType): (text: string) => string {
  return (text) => {
    const refusal = refusalOf(schema, text);
    if (refusal !== undefined) throw new InvalidArgumentError(refusal);
    return text;
  };
}

/** Makes the parser of an option that takes texts of a form; `what` completes "Expected …". */
export function ofForm(form: RegExp, what: string): (text: string) => string {
  return (text) => {
    if (!form.test(text)) throw new InvalidArgumentError(`Expected ${what}.`);
    return text;
  };
}

export function wholeNumber(text: string): number {
  return Number(ofForm(/^\d{1,15}$/, "a whole number")(text));
}

/** Makes the parser of an option that takes whole numbers up to one. */
export function numberUpTo(most: number): (text: string) => number {
  return (text) => {
    const given = wholeNumber(text);
    if (given > most) throw new InvalidArgumentError(`Expected a number up to ${most}.`);
    return given;
  };
}

export function addNarrowing(command: Command): Command {
  return command
    .option("--service <name>", "include one service only (repeatable)", append, [])
    .option("--kind <Kind>", "include one kind only (repeatable)", append, [])
    .option("--label <key=value>", "include only what has this label (repeatable; all must match)", append, []);
}

/** Collects the values of a repeatable option. */
export function append(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function appendFile(file: string, before: readonly string[]): readonly string[] {
  return append(ofForm(/./, "the name of a file")(file), before);
}

function addVariable(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("Expected name=value.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Options of `setpoint call` itself. All others are arguments of the operation. */
export interface CallOptions extends ManifestOptions {
  readonly list: boolean;
  /** A file, or `-` for standard input. */
  readonly body?: string;
  readonly yes: boolean;
  readonly pageAll: boolean;
  /** The file for a new secret in the answer. */
  readonly secretFile?: string;
  readonly help: boolean;
}

/** Adds the options of `call` itself. `--help` is one of them, because its output depends on the operation. */
export function addCallOptions(command: Command): Command {
  return addRequestOptions(addManifestOptions(command))
    .option("--list", "list the operations of all roles, or of one service", false)
    .option("--body <file>", "read arguments that are not options from a JSON file; - is standard input")
    .option("--secret-file <file>", "write the new secret of the answer to this file, with mode 0600")
    .option("--page-all", "read all pages, even if an argument such as --n caps the answer at one", false)
    .option("-y, --yes", "do not ask before a write", false)
    .helpOption(false)
    .option("-h, --help", "show this help, or that of the operation", false);
}

/** Opens the workspace that the command line names. */
export function openFrom(
  { workspace: path, environment, var: variables, values, trust, log, cache }: ManifestOptions,
  parts: Pick<OpenOptions, "signal" | "stopping" | "env" | "watches" | "queue" | "onProgress"> = {},
): OpenWorkspace {
  return openWorkspace({
    ...parts,
    path,
    environment,
    variables,
    values,
    trust,
    readings: cache === false ? false : undefined,
    onRequest: log && requestLog(log),
    onDropped: log && droppedLog(log),
  });
}

/** The options that select the workspace and its values, as words for another command line. */
export function givenWords(options: Pick<ManifestOptions, "workspace"> & Partial<ManifestOptions>): readonly string[] {
  const { workspace, environment, var: variables = {}, values = [], trust } = options;
  return [
    ...(workspace === "." ? [] : ["--workspace", workspace]),
    ...(environment === undefined ? [] : ["--environment", environment]),
    ...Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}=${value}`]),
    ...values.flatMap((file) => ["--values", file]),
    ...(trust === undefined ? [] : ["--trust", trust]),
  ];
}

export function addRequestOptions(command: Command): Command {
  const uncached = command.option("--no-cache", "read everything in full, and keep no answers for the next run");
  return uncached.addOption(
    new Option("--log <form>", "log every request to standard error: text or json, one line each, no secrets").choices([
      "text",
      "json",
    ]),
  );
}

/** Adds `--watch`, for commands that only read and whose result depends on the manifests. */
export function addWatchOption(command: Command): Command {
  return command.option("--watch", "run again whenever a file that was read changes, until Ctrl-C", false);
}

/** Adds `--quiet`, for commands that show more than a person might want to read. */
export function addQuietOption(command: Command): Command {
  return command.option("-q, --quiet", "print only what is wrong, what is refused, and the summary", false);
}
