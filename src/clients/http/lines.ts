import type { z } from "zod";
import type { Issue } from "../../core/issues.ts";
import { ProblemError } from "../../core/problem.ts";
import { isHtml, parseJson, unexpected, utf8Text } from "./answer.ts";
import { type Head, type ReadBody, readWhole } from "./body.ts";
import { mismatch } from "./outcome.ts";

/** What an answer should have been. */
export const expected = "one JSON object a line";

/** The longest line that is read, in bytes. */
const longestLine = 16 * 1024 * 1024;

/**
 * Reads a successful answer of one JSON object a line as it comes, whatever its size: a line is held until it is decoded
 * as an entry of the list that `result` is. The answer's body is then the last line. What does not begin with JSON, such
 * as a page, is read whole.
 */
export function lineReader(result: z.ZodType): ReadBody {
  return async (head, body) => {
    if (!mayBeLines(head)) return readWhole(head, body);
    const lines = linesOf(body);
    const records: unknown[] = [];
    const issues: Issue[] = [];
    const wrong: Record<number, unknown> = {};
    let broken: ProblemError | undefined;
    let count = 0;
    let last: Buffer | undefined;
    for await (const line of lines) {
      if (line.every((byte) => blanks.includes(byte))) continue;
      try {
        const record = parseJson(utf8Text(line), expected);
        const decoded = result.safeParse([record]);
        const index = count++;
        if (!decoded.success) {
          wrong[index] = record;
          issues.push(...decoded.error.issues.map((issue) => ({ ...issue, path: [index, ...issue.path.slice(1)] })));
        } else if (Array.isArray(decoded.data)) records.push(...decoded.data);
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
        if (issues.length > 0) throw mismatch(issues, wrong);
        return records;
      },
    };
  };
}

const newline = Buffer.from("\n");
const blanks = Buffer.from(" \t\r");

function mayBeLines(head: Head): boolean {
  return head.status >= 200 && head.status < 300 && head.status !== 206 && !isHtml({ ...head, body: Buffer.alloc(0) });
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
    if (size > longestLine) throw unexpected(expected, `a line of more than ${longestLine / 2 ** 20} MiB`);
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
