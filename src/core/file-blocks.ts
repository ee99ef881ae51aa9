/** Bytes that are read at once. */
const blockSize = 1024 * 1024;

/** Enough for one block that is used, one that is held back and one that is read, and one to spare. */
const blocksInUse = 4;

/** An open file. */
export interface BlockSource {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

/** How a file is read. */
export interface BlockSettings {
  /** Bytes after which nothing is read; the end of the file unless given. */
  readonly end?: number | undefined;
  /** The length of the file, as far as it is known: a small one gets small blocks. */
  readonly size: number;
  /**
   * Whether a block's memory is used again, for the fourth block after it. Memory made anew for every block costs as much
   * as reading and sending it does.
   */
  readonly reuse: boolean;
}

/** Reads a file block by block; undefined at its end. The next block is asked for when the one before has come. */
export function blocksOf(
  file: BlockSource,
  { end = Number.POSITIVE_INFINITY, size, reuse }: BlockSettings,
): () => Promise<Buffer | undefined> {
  const length = Math.max(1, Math.min(size, blockSize));
  const ring: Buffer[] = [];
  let turn = 0;
  let at = 0;
  return async () => {
    const block = (reuse ? ring[turn] : undefined) ?? Buffer.allocUnsafeSlow(length);
    ring[turn] = block;
    turn = (turn + 1) % blocksInUse;
    let filled = 0;
    while (filled < block.length && at < end) {
      const { bytesRead } = await file.read(block, filled, Math.min(block.length - filled, end - at), at);
      if (bytesRead === 0) break;
      filled += bytesRead;
      at += bytesRead;
    }
    return filled === 0 ? undefined : block.subarray(0, filled);
  };
}
