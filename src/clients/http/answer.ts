import { ProblemError } from "../../core/problem.ts";

/** What a service answered. Header names are in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** The result, where the body was decoded as it came. Throws `ProblemError` SP3103 where it is not what was expected. */
  readonly decoded?: () => unknown;
  /** Where the body was written instead, and its length in bytes. */
  readonly saved?: { readonly path: string; readonly bytes: number };
}

/** A header's value; the first one where it was sent several times. */
export function header(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Whether the answer is a page for people, by its type or its first characters. */
export function isHtml(answer: Answer): boolean {
  const type = header(answer, "content-type") ?? "";
  return /html/i.test(type) || /^\s*<(!doctype|html)\b/i.test(answer.body.toString("utf8", 0, 200));
}

/** Bytes as text. Throws `ProblemError` SP3103 where they are not UTF-8. */
export function utf8Text(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unexpected("UTF-8 text", "other bytes");
  }
}

/**
 * The body as text, where it may be what was expected.
 *
 * Throws `ProblemError`: SP3003 for a login page, SP3104 for a part of the content, SP3103 for another page or type.
 * `types` is the expected media type; an answer that names none is taken at its word.
 */
export function expectedText(answer: Answer, expected: string, types: RegExp): string {
  if (answer.status === 206)
    throw new ProblemError({
      code: "SP3104",
      message: "The service sent only a part of the content.",
      hint: proxyHint,
    });
  if (isHtml(answer)) {
    if (!/<input\b[^>]*\btype=["']?password/i.test(answer.body.toString("utf8")))
      throw unexpected(expected, "an HTML page");
    throw new ProblemError({
      code: "SP3003",
      message: "The service answered with a login page.",
      hint: "Check the credentials, and that the service's url is the root of the API.",
    });
  }
  const type = header(answer, "content-type");
  if (type !== undefined && answer.body.length > 0 && !types.test(type)) throw unexpected(expected, `${type} content`);
  return utf8Text(answer.body);
}

/** Reads JSON. Throws `ProblemError` SP3103 that says what was expected and where the text goes wrong. */
export function parseJson(text: string, expected: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const cut = error instanceof SyntaxError && /unexpected end|unterminated/i.test(error.message);
    throw unexpected(expected, cut ? "JSON that was cut off" : "text that is not JSON");
  }
}

/** Reads JSON where there may be none: undefined for any other text. */
export function jsonIfAny(answer: Answer): unknown {
  try {
    return JSON.parse(answer.body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The problem of an answer that is something else than expected. */
export function unexpected(expected: string, got: string): ProblemError {
  return new ProblemError({
    code: "SP3103",
    message: `Expected ${expected}, got ${got}.`,
    hint: proxyHint,
  });
}

const proxyHint = "Check the service's url, its type and version, and what stands between: a proxy or a login gateway.";
