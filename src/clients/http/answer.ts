import type { z } from "zod";
import type { Operation } from "../../core/operation.ts";
import { ProblemError } from "../../core/problem.ts";
import { describeIssues, type SchemaIssue } from "../../core/text/issues.ts";
import type { JsonObject } from "../../core/text/json.ts";
import { jsonIn, readJson, tooDeep } from "../../core/text/json-text.ts";
import { utf8Text } from "../../core/text/words.ts";

/** What a service answered. Header names are in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** The result, if the body was decoded as it came. Throws `ProblemError` SP3103 if it is not what was expected. */
  readonly decoded?: () => unknown;
  /** The file that the body was written to instead, and its length in bytes. */
  readonly saved?: { readonly path: string; readonly bytes: number };
  /** Set for an earlier answer, if the service said that it has not changed. */
  readonly recalled?: true;
}

/** An answer whose body is still to come. */
export type Head = Pick<Answer, "status" | "headers">;

/** A header's value; the first one if it was sent several times. */
export function header(answer: Head, name: string): string | undefined {
  const value = answer.headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Whether an answer says that it is a page for people. */
export function saysHtml(answer: Head): boolean {
  return /html/i.test(header(answer, "content-type") ?? "");
}

/** Whether the answer is a page for people, by its type or its first characters. */
export function isHtml(answer: Answer): boolean {
  return saysHtml(answer) || /^\s*<(!doctype|html)\b/i.test(answer.body.toString("utf8", 0, 200));
}

/** The title of a page for people, without its status, or plain text, such as a proxy's; undefined for any other answer. */
export function titleOf(answer: Answer): string | undefined {
  const start = answer.body.toString("utf8", 0, 2000);
  // The half of a secret would not be recognised.
  const text = answer.body.length > 2000 ? start.replace(/(?:^|\s)\S*$/, "") : start;
  if (!isHtml(answer)) return /^text\/plain\b/i.test(header(answer, "content-type") ?? "text/plain") ? text : undefined;
  const [, title] = /<(?:title|h1)>([^<]+)</i.exec(text) ?? [];
  return title?.replace(/^(error )?\d{3} ?/i, "");
}

/** Decodes text. Throws `ProblemError` SP3103 if it is not UTF-8, for example if a proxy has encoded it unasked. */
function textOf(bytes: Buffer, encoding?: string): string {
  const text = utf8Text(bytes);
  if (text !== undefined) return text;
  throw unexpected("UTF-8 text", encoding === undefined ? "other bytes" : `content with the encoding ${encoding}`);
}

/**
 * Returns the body as text, if it can be what was expected.
 *
 * Throws `ProblemError`: SP3003 for a login page, SP3104 for a part of the content, SP3103 for another page or type.
 * `types` matches the expected media type; an answer that names no type is accepted.
 */
export function expectedText(answer: Answer, expected: string, types: RegExp): string {
  if (answer.status === 206)
    throw new ProblemError({
      code: "SP3104",
      message: "The service sent only part of the content.",
      hint: proxyHint,
    });
  if (isHtml(answer)) {
    if (!/<input\b[^<>]*\btype=["']?password/i.test(answer.body.toString("utf8"))) {
      const title = titleOf(answer)?.trim();
      throw unexpected(expected, title ? `the HTML page "${title}"` : "an HTML page");
    }
    throw new ProblemError({
      code: "SP3003",
      message: "The service answered with a login page.",
      hint: "Check the credentials, and that the service's url is the root of the API.",
    });
  }
  const type = header(answer, "content-type");
  if (type !== undefined && answer.body.length > 0 && !types.test(type)) throw unexpected(expected, `${type} content`);
  return textOf(answer.body, header(answer, "content-encoding"));
}

/** Parses JSON. Throws `ProblemError` SP3103 that says what was expected and what came instead. */
export function parseJson(text: string, expected: string): unknown {
  const read = readJson(text);
  if (read.is === "read") return read.value;
  if (read.is === "too deep") throw unexpected(expected, tooDeep);
  const cut = /unexpected end|unterminated/i.test(read.said);
  throw unexpected(expected, cut ? "JSON that was cut off" : "text that is not JSON");
}

/** The JSON of an answer; undefined if its body is empty. Throws `ProblemError` SP3003, SP3103, SP3104. */
export function decodeJson(answer: Answer): unknown {
  const text = expectedText(answer, "JSON", /\bjson\b/i);
  return text === "" ? undefined : parseJson(text, "JSON");
}

/** Returns the JSON of a body, or undefined if the body is any other text. */
export function jsonIfAny(answer: Answer): unknown {
  return jsonIn(answer.body.toString("utf8"));
}

/** The problem of an answer that is not what was expected. */
export function unexpected(expected: string, got: string): ProblemError {
  return new ProblemError({ code: "SP3103", message: `Expected ${expected}, got ${got}.`, hint: proxyHint });
}

/** What to check if something else may have answered in the service's place. */
export const proxyHint = "Check the service's url, type and version, and any proxy or login gateway in between.";

/** Reads the body of an answer. */
export type ReadBody = (head: Head, body: AsyncIterable<Buffer>) => Promise<Answer>;

/** The largest answer that is read whole, in bytes. */
export const largestAnswer = 64 * 1024 * 1024;

/** Reads a body into memory. Throws, with undici's code, for one that is larger than 64 MiB. */
const readWhole: ReadBody = async (head, body) => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largestAnswer) throw tooLarge();
    chunks.push(chunk);
  }
  return { ...head, body: Buffer.concat(chunks) };
};

/** Makes undici's error for a body that is too large. Most commands read no answer, so they need not load undici for it. */
export function tooLarge(): Error {
  return Object.assign(new Error("The answer is too large."), { code: "UND_ERR_RES_EXCEEDED_MAX_SIZE" });
}

/** What an answer should have been, for a message. */
export const jsonLines = "one JSON object per line";

/** The longest line that is read, in bytes. */
const longestLine = 16 * 1024 * 1024;

/**
 * Reads a successful answer of one JSON object per line as it arrives, whatever its size. A line is kept only until it is
 * decoded as an entry of the list that `result` describes; the answer's body is then the last line. An answer that does
 * not begin with JSON, such as a page, is read whole.
 */
export function lineReader(result: z.ZodType): ReadBody {
  return async (head, body) => {
    if (!mayBeLines(head)) return readWhole(head, body);
    const lines = linesOf(body);
    const entries = entriesOf(result);
    let broken: ProblemError | undefined;
    let last: Buffer | undefined;
    for await (const line of lines) {
      if (line.every((byte) => blanks.includes(byte))) continue;
      try {
        entries.add(parseJson(textOf(line), jsonLines));
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        if (last === undefined) return await readWhole(head, joined(line, lines));
        broken ??= error;
      }
      last = line;
    }
    return {
      ...head,
      body: last ?? Buffer.alloc(0),
      decoded: () => {
        if (broken !== undefined) throw broken;
        return entries.decoded();
      },
    };
  };
}

/** Decodes the entries of a list one by one, as `result` describes the list. */
function entriesOf(result: z.ZodType): { add(entry: unknown): void; decoded(): readonly unknown[] } {
  const decoded: unknown[] = [];
  const issues: SchemaIssue[] = [];
  const wrong: Record<number, unknown> = {};
  let count = 0;
  return {
    add(entry) {
      const { success, data, error } = result.safeParse([entry]);
      const index = count++;
      if (success && Array.isArray(data)) decoded.push(...data);
      if (success) return;
      wrong[index] = entry;
      issues.push(...error.issues.map((issue) => ({ ...issue, path: [index, ...issue.path.slice(1)] })));
    },
    decoded() {
      if (issues.length > 0) throw mismatch(issues, wrong);
      return decoded;
    },
  };
}

const newline = Buffer.from("\n");
const blanks = Buffer.from(" \t\r");

function mayBeLines(head: Head): boolean {
  // "No content" is no list.
  return head.status >= 200 && head.status < 204 && !saysHtml(head);
}

/** The lines of a body, each as soon as it is complete. Throws `ProblemError` SP3103 for one that is too long. */
async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
      size = 0;
      from = end + 1;
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > longestLine) throw unexpected(jsonLines, `a line of more than ${longestLine / 2 ** 20} MiB`);
  }
  if (size > 0) yield Buffer.concat(parts);
}

async function* joined(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield first;
  for await (const line of rest) {
    yield newline;
    yield line;
  }
}

/**
 * Decodes an answer with the schema of the operation's row, unless the call selects its own fields. Throws `ProblemError`
 * SP3103 that names what does not fit.
 */
export function decodeResult({ selection, result }: Operation, args: JsonObject, json: unknown): unknown {
  const selected = selection && args[selection.by];
  if (typeof selected === "string" && !selection?.whole.includes(selected)) return json;
  const decoded = result.safeParse(json);
  if (decoded.success) return decoded.data;
  throw mismatch(decoded.error.issues, json);
}

/** Removes cookies: a session is as secret as the credentials it stands for. */
export function withoutCookies({ "set-cookie": _session, ...headers }: Answer["headers"]): Answer["headers"] {
  return headers;
}

/** The problem of an answer that does not match its schema. */
function mismatch(issues: readonly SchemaIssue[], json: unknown): ProblemError {
  return unexpected("the documented form", `something else: ${describeIssues(issues, json, "the answer")}`);
}
