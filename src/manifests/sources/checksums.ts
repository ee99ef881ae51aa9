import { createHash } from "node:crypto";
import type { LocalFile } from "../../core/kind.ts";

/** The checksums of a stream, which is not kept. */
export async function checksums(bytes: AsyncIterable<Uint8Array>): Promise<Omit<LocalFile, "path">> {
  const [sha1, sha256] = [createHash("sha1"), createHash("sha256")];
  for await (const chunk of bytes) {
    sha1.update(chunk);
    sha256.update(chunk);
  }
  return { sha1: sha1.digest("hex"), sha256: sha256.digest("hex") };
}
