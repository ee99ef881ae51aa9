/**
 * The least that a deployment with its checksum takes in Node: `node deploy.ts <file> <url>` computes the SHA-256 of a file, reads
 * the file again while it is sent, and prints nothing.
 */

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { request } from "undici";
import { blocksOf } from "../../src/core/file-blocks.ts";

const [path = "", url = ""] = process.argv.slice(2);
const file = await open(path);
const { size } = await file.stat();

async function* blocks(): AsyncGenerator<Buffer> {
  const next = blocksOf(file, { size, inUse: 4 });
  for (let block = await next(); block !== undefined; block = await next()) yield block;
}

const hash = createHash("sha256");
for await (const block of blocks()) hash.update(block);
const headers = { "content-length": String(size), "x-checksum-sha256": hash.digest("hex") };
const { statusCode, body } = await request(url, { method: "PUT", headers, body: Readable.from(blocks()) });
await body.dump();
await file.close();
if (statusCode !== 201) throw new Error(`The service answered ${statusCode}.`);
