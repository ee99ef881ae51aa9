import { createCipheriv, createHash, type Hash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "./once.ts";
import { ProblemError } from "./problem.ts";
import { reasonOf } from "./text/reason.ts";

/** Reads content from its beginning, each time it is called. A part is valid until the next one. */
export type ReadContent = <T>(take: (parts: AsyncIterable<Uint8Array>) => Promise<T>) => Promise<T>;

/** What is known about content that this process has read. Nothing of it is shown, written or sent. */
interface Known {
  readonly key: Buffer;
  readonly tag: Buffer;
  readonly sha1: () => Promise<string>;
}

/** By SHA-256. An entry stays true whatever happens to the file, so none is ever removed. */
const known = new Map<string, Known>();

/** Reads content and remembers how to recognise it. Returns its SHA-256. */
export async function learn(read: ReadContent): Promise<string> {
  const key = randomBytes(16);
  const [hash, tagging] = [createHash("sha256"), startTag(key)];
  await read((parts) => feed(parts, hash, tagging));
  const sha256 = hash.digest("hex");
  known.set(sha256, { key, tag: tagging.end(), sha1: once(() => readSha1(read, sha256)) });
  return sha256;
}

async function feed(parts: AsyncIterable<Uint8Array>, hash: Hash, other: Pick<Recognition, "add">): Promise<void> {
  for await (const part of parts) {
    hash.update(part);
    other.add(part);
  }
}

/** Takes the parts of some content, and is then asked once whether it was the expected content. */
export interface Recognition {
  add(part: Uint8Array): void;
  isThat(): boolean;
}

/**
 * Recognises the content with this SHA-256. If this process has read it, this compares tags, which takes about a quarter
 * of the time; otherwise it compares the SHA-256. The answer is the same.
 */
export function recognition(sha256: string): Recognition {
  const one = known.get(sha256);
  if (one === undefined) {
    const hash = createHash("sha256");
    return { add: (part) => hash.update(part), isThat: () => hash.digest("hex") === sha256 };
  }
  const tagging = startTag(one.key);
  return { add: (part) => tagging.add(part), isThat: () => timingSafeEqual(tagging.end(), one.tag) };
}

/**
 * Returns the SHA-1 of the content with this SHA-256, which is read again for it, once. Undefined if this process has not
 * read it, for example if Git LFS has it from another commit. Throws `ProblemError` SP1017 if it cannot be read or has
 * changed.
 */
export async function sha1Of(sha256: string): Promise<string | undefined> {
  return known.get(sha256)?.sha1();
}

async function readSha1(read: ReadContent, sha256: string): Promise<string> {
  const [hash, recognised] = [createHash("sha1"), recognition(sha256)];
  try {
    await read((parts) => feed(parts, hash, recognised));
  } catch (error) {
    throw unreadable(reasonOf(error));
  }
  if (!recognised.isThat()) throw unreadable("it has changed meanwhile");
  return hash.digest("hex");
}

function unreadable(reason: string): ProblemError {
  return new ProblemError({
    code: "SP1017",
    message: `The file cannot be read again for its SHA-1, the only checksum that the service reports: ${reason}.`,
  });
}

/** Only one tag is made with each key, so one nonce is enough. */
const nonce = Buffer.alloc(12);

/** Makes the AES-GCM tag of data that is authenticated and not encrypted: a message authentication code (GMAC). */
function startTag(key: Buffer): { readonly add: (part: Uint8Array) => void; readonly end: () => Buffer } {
  const cipher = createCipheriv("aes-128-gcm", key, nonce, { authTagLength: 16 });
  return {
    add: (part) => cipher.setAAD(part),
    end: () => {
      cipher.final();
      return cipher.getAuthTag();
    },
  };
}
