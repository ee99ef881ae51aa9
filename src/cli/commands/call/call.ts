import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Environment } from "../../../clients/credentials/credentials.ts";
import { allServices, operationsOf } from "../../../clients/find-service.ts";
import type { Operation } from "../../../core/operation.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { RoleName } from "../../../core/resource.ts";
import { Secret } from "../../../core/secret.ts";
import type { Service } from "../../../core/service.ts";
import { defined, isObject, type JsonObject, own } from "../../../core/text/json.ts";
import { readJson, tooDeep } from "../../../core/text/json-text.ts";
import { reasonOf } from "../../../core/text/reason.ts";
import { counted, didYouMean, quote } from "../../../core/text/words.ts";
import { openSecretFile } from "../../../engine/secrets/sink-file.ts";
import { neutralJson } from "../../../reports/neutral.ts";
import { cutFrom, inColumns } from "../../../reports/text/layout.ts";
import { type ScreenOptions, styleOf, visibleStrings } from "../../../reports/text/style.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { type CallOptions, type Interrupts, openFrom } from "../../options/options.ts";
import { isConfirmed, requireTerminal } from "../../terminal/confirm.ts";
import { type Output, openOutput, show } from "../../terminal/output.ts";
import { progressLine } from "../../terminal/progress.ts";
import { argumentMistakes, argumentOptions } from "./call-arguments.ts";
import { type CalledOperation, operationHelp, readArguments, wrongCall } from "./call-command.ts";

/** The interrupts, output and environment of a call. The defaults are the process's own output and environment. */
export interface CallSettings extends Interrupts {
  readonly output?: Output;
  readonly env?: Environment;
}

/**
 * `setpoint call <service> <operation> [arguments]`: sends one operation and prints its decoded answer, as JSON or as plain
 * text, with dots for secrets. Writes nothing unless the operation is a write and was confirmed.
 *
 * Throws `ProblemError`: SP1009 and SP5001 for a wrong command line, otherwise what `Connection.call` throws.
 */
export async function call(
  words: readonly string[],
  options: CallOptions,
  { signal, stopping, output = openOutput(options), env = process.env }: CallSettings,
): Promise<ExitCode> {
  // Plans name a call `wiki.getPage`.
  const [serviceName, name, ...rest] = words.flatMap((word, at) => (at === 0 ? word.split(".") : word));
  if (options.list || (options.help && name === undefined)) {
    const service = serviceName === undefined ? undefined : await describedService(serviceName, options, stopping);
    const operations = listOperations().filter(({ role }) => service === undefined || role === service.role);
    show(output, { operations }, () => renderOperations(operations, output));
    return exitCodes.ok;
  }
  if (serviceName === undefined || name === undefined)
    throw wrongCall(
      "call needs the name of a service and an operation.",
      serviceName === undefined
        ? "setpoint call --list shows the operations of every role."
        : `setpoint call ${serviceName} --list shows its operations.`,
    );
  if (options.help) {
    const service = await describedService(serviceName, options, stopping);
    output.print(operationHelp(findOperation(service, name), output.width));
    return exitCodes.ok;
  }
  const workspace = openFrom(options, { stopping, signal, env, onProgress: progressLine(options).show });
  const service = await workspace.service(serviceName);
  const called = findOperation(service, name);
  const args = { ...(options.body === undefined ? {} : await readBody(options.body)), ...readArguments(called, rest) };
  requireArguments(called, args);
  const secretFile = secretFileOf(called, options);
  if (called.operation.effect === "write" && !options.yes) {
    requireTerminal("call", output.json);
    const { method, path } = called.operation;
    output.print(`${service.url}: ${method} ${path}\n${neutralJson(JSON.stringify(args, null, 2))}`);
    if (!(await isConfirmed(`Send ${name}?`, stopping))) {
      output.print("Nothing was done.");
      return exitCodes.refused;
    }
  }
  const sink = secretFile === undefined ? undefined : openSecretFile(resolve(secretFile));
  const answer = await workspace.call(service, name, args, called.operation.effect, options);
  // Print before storing the secret, so that the rest of the answer, such as an id, is shown even if storing fails.
  printAnswer(answer, output);
  await sink?.put(secretOf(called, answer));
  return exitCodes.ok;
}

/** The service of this name in the workspace; if there is none, but a role has the name, that role. */
async function describedService(name: string, options: CallOptions, signal: AbortSignal): Promise<CalledService> {
  try {
    return await openFrom(options, { signal }).service(name);
  } catch (error) {
    const described = allServices.find(({ role }) => role === name);
    if (described === undefined) throw error;
    return { name, role: described.role };
  }
}

type CalledService = Pick<Service, "name" | "role">;

function findOperation(service: CalledService, name: string): CalledOperation {
  const table = operationsOf(service.role);
  const operation = own(table, name);
  if (operation !== undefined) return { service: service.name, name, operation };
  throw wrongCall(
    `Services with the role ${service.role} have no operation ${quote(name)}.${didYouMean(name, Object.keys(table))}`,
    `setpoint call ${service.name} --list shows its operations.`,
  );
}

/**
 * The file of `--secret-file`. Throws `ProblemError` SP5001 if the option is missing, because a secret that is shown only once
 * would be lost, and if there is no secret to write.
 */
function secretFileOf({ name, operation: { yields } }: CalledOperation, { secretFile }: CallOptions) {
  if (yields !== undefined && secretFile === undefined)
    throw wrongCall(
      `${name} creates a secret that is shown only once and not printed here, so it would be lost.`,
      "Pass --secret-file FILE: the secret is written there with mode 0600, and replaces the file's contents.",
    );
  if (yields === undefined && secretFile !== undefined)
    throw wrongCall(`${name} creates no secret for --secret-file.`, "Omit the option.");
  return secretFile;
}

/** The first secret of an answer, in the order in which the operation names them. */
function secretOf({ name, operation: { yields = [] } }: CalledOperation, answer: unknown): Secret {
  const secret = yields
    .map((member) => (isObject(answer) ? answer[member] : undefined))
    .find((value) => value instanceof Secret);
  if (secret !== undefined) return secret;
  throw new ProblemError({ code: "SP4005", message: `The answer of ${name} has no secret.` });
}

/** Reads arguments from a JSON file or standard input. Throws `ProblemError`: SP1017 if it cannot be read, SP5001 if it is invalid. */
async function readBody(file: string): Promise<JsonObject> {
  const name = file === "-" ? "standard input" : file;
  const content = file === "-" ? text(process.stdin) : readFile(file, "utf8");
  const read = readJson(
    await content.catch((error: unknown) => {
      throw new ProblemError({ code: "SP1017", message: `${name} cannot be read: ${reasonOf(error)}.` });
    }),
  );
  if (read.is === "too deep") throw wrongBody(`${name} is ${tooDeep}.`);
  if (read.is === "not JSON") throw wrongBody(`${name} is not JSON: ${read.said}.`);
  if (isObject(read.value)) return read.value;
  throw wrongBody(`${name} is not a JSON object.`);
}

function wrongBody(message: string): ProblemError {
  return wrongCall(`The --body is invalid: ${message}`, 'Write arguments by name, such as { "pageId": "1" }.');
}

/** Checks the arguments before anything is asked or sent. Throws `ProblemError` SP5001. */
function requireArguments({ service, name, operation }: CalledOperation, args: JsonObject): void {
  const mistakes = argumentMistakes(operation, argumentOptions(operation), args);
  if (mistakes.length === 0) return;
  const hint = `setpoint call ${service} ${name} --help shows the arguments.`;
  throw new ProblemError(...mistakes.map((message) => ({ code: "SP5001", message, hint }) as const));
}

/** Prints an answer. Text goes to a file byte for byte, and elsewhere without control characters. No answer is `null`. */
function printAnswer(answer: unknown, output: Output): void {
  if (typeof answer !== "string" || output.json) output.print(neutralJson(JSON.stringify(answer ?? null, null, 2)));
  else if (output.printExact !== undefined) output.printExact(answer.endsWith("\n") ? answer : `${answer}\n`);
  else output.print(process.stdout.isTTY ? visibleStrings(answer) : answer);
}

/** An operation in the output of `setpoint call --list --json`. */
export type ListedOperation = { readonly role: RoleName; readonly operation: string } & Pick<
  Operation,
  "effect" | "method" | "path" | "product" | "ext"
>;

/** The operations of all roles, in the order of their tables. */
function listOperations(): readonly ListedOperation[] {
  return allServices.flatMap(({ role, operations }) =>
    Object.entries(operations).map(([operation, { effect, method, path, product, ext }]) =>
      defined({ role, operation, effect, method, path, product, ext }),
    ),
  );
}

/** The operations as a table, one per line. A `+` marks those that are not in the API documents. */
function renderOperations(operations: readonly ListedOperation[], options: ScreenOptions): string {
  const { width, symbols } = styleOf(options);
  const rows = operations.map(({ role, operation, effect, method, path, ext }) => [
    role,
    ext === undefined ? operation : `${operation} +`,
    effect,
    method,
    path,
  ]);
  const lines = inColumns(rows).map((cells) => cutFrom(cells.join("  ").trimEnd(), 0, width, symbols.ellipsis));
  const own = operations.filter(({ ext }) => ext !== undefined).length;
  const documented = counted(operations.length - own, "operation");
  return [...lines, `${documented} of the API documents, and ${own} more (+).`].join("\n");
}
