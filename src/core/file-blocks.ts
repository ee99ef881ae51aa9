/** Bytes per read: many, because each read is handed to another thread. */
const blockSize = 2 * 1024 * 1024;

/** Bytes of a page of WebAssembly. */
const wasmPage = 64 * 1024;

/** An open file. */
export interface BlockSource {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

/** How a file is read. */
export interface BlockSettings {
  /** The position at which reading ends. Default: the end of the file. */
  readonly end?: number | undefined;
  /** The length of the file, as far as it is known: a small one gets small blocks. */
  readonly size: number;
  /**
   * How many blocks are in use at a time. The memory of a block is reused for the block that comes this many later. By
   * default each block has its own memory, and allocating it costs as much as reading and sending the block.
   */
  readonly inUse?: number | undefined;
}

/** Returns a function that reads a file block by block, each only after the one before; undefined at its end. */
export function blocksOf(
  file: BlockSource,
  { end = Number.POSITIVE_INFINITY, size, inUse }: BlockSettings,
): () => Promise<Buffer | undefined> {
  const length = Math.max(1, Math.min(size, blockSize));
  const ring: Buffer[] = [];
  let turn = 0;
  let at = 0;
  const nextMemory = () => {
    if (inUse === undefined) return Buffer.allocUnsafeSlow(length);
    turn = (turn + 1) % inUse;
    const block = ring[turn] ?? (length < blockSize ? Buffer.allocUnsafeSlow(length) : alignedMemory(length));
    ring[turn] = block;
    return block;
  };
  return async () => {
    const block = nextMemory();
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

/**
 * Allocates memory that begins at a page boundary, as WebAssembly's does. A buffer begins 16 bytes after one, and some
 * processors (AMD's Zen 3) take five times as long to copy a file to such an address: `docs/decisions/deployments.md`.
 */
function alignedMemory(length: number): Buffer {
  try {
    return Buffer.from(new WebAssembly.Memory({ initial: length / wasmPage }).buffer);
  } catch {
    // Node without a JIT compiler has no WebAssembly, and the memory might not fit in the address space that the process
    // has left.
    return Buffer.allocUnsafeSlow(length);
  }
}
