/** The maximum size of a pointer in bytes. */
export const longestPointer = 1023;

/**
 * Returns the SHA-256 of the content that a Git LFS pointer replaces; undefined if the bytes are not a pointer.
 * @see Git LFS Specification, The Pointer
 */
export function pointedAt(bytes: Uint8Array): string | undefined {
  if (bytes.length > longestPointer) return undefined;
  const [version, ...lines] = Buffer.from(bytes).toString("latin1").split("\n");
  if (version !== "version https://git-lfs.github.com/spec/v1") return undefined;
  return lines.flatMap((line) => /^oid sha256:([0-9a-f]{64})$/.exec(line)?.[1] ?? []).at(0);
}

/** Throws if bytes of a work tree are a pointer: the content that it replaces is missing. */
export function refusePointer(bytes: Uint8Array): void {
  if (pointedAt(bytes) !== undefined)
    throw new Error("it is a Git LFS pointer whose content is missing: run git lfs pull");
}
