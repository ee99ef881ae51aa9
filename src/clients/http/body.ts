import { errors } from "undici";
import type { Answer } from "./answer.ts";

/** An answer of which the body is still to come. */
export type Head = Pick<Answer, "status" | "headers">;

/** Reads the body of an answer. */
export type ReadBody = (head: Head, body: AsyncIterable<Buffer>) => Promise<Answer>;

/** The largest answer that is read whole, in bytes. */
const largestAnswer = 64 * 1024 * 1024;

/** Reads a body into memory. Throws undici's error for one that is larger than 64 MiB. */
export const readWhole: ReadBody = async (head, body) => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largestAnswer) throw new errors.ResponseExceededMaxSizeError();
    chunks.push(chunk);
  }
  return { ...head, body: Buffer.concat(chunks) };
};
