import { expect, test } from "vitest";
import { type BlockSettings, blocksOf } from "../../src/core/file-blocks.ts";

/** The size of one read. */
const whole = 2 * 1024 * 1024;

/** A file in which every block is filled with its number, and of which one read returns at most this many bytes. */
function fileOf(size: number, most = Number.POSITIVE_INFINITY) {
  return {
    async read(buffer: Buffer, offset: number, length: number, position: number) {
      const bytesRead = Math.max(0, Math.min(length, most, size - position));
      for (let at = 0; at < bytesRead; at++) buffer[offset + at] = Math.floor((position + at) / whole);
      return { bytesRead, buffer };
    },
  };
}

async function blocksIn(file: Parameters<typeof blocksOf>[0], settings: BlockSettings): Promise<readonly Buffer[]> {
  const next = blocksOf(file, settings);
  const blocks: Buffer[] = [];
  for (let block = await next(); block !== undefined; block = await next()) blocks.push(block);
  return blocks;
}

test("blocks are full however few bytes a read returns, and stop at the stated end", async () => {
  const size = 3 * whole;
  const blocks = await blocksIn(fileOf(size, 300_000), { size, end: size - 10 });
  expect(blocks.map(({ length }) => length)).toEqual([whole, whole, whole - 10]);
  expect(blocks.map((block) => new Set(block).size)).toEqual([1, 1, 1]);
});

test("a file that has grown is read to its end", async () => {
  const blocks = await blocksIn(fileOf(25), { size: 10 });
  expect(blocks.map(({ length }) => length)).toEqual([10, 10, 5]);
});

test("memory is reused four blocks later, and only on request", async () => {
  const size = 6 * whole;
  const kept = await blocksIn(fileOf(size), { size });
  expect(kept.map((block) => block[0])).toEqual([0, 1, 2, 3, 4, 5]);
  const reused = await blocksIn(fileOf(size), { size, inUse: 4 });
  expect(reused.map((block) => block[0])).toEqual([4, 5, 2, 3, 4, 5]);
});
