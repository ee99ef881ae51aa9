import { gunzipSync, inflateRawSync } from "node:zlib";
import { Refusal } from "../refusal.ts";

/** A file in an archive. */
export interface ArchiveEntry {
  readonly path: string;
  readonly content: Buffer;
}

const largest = 64 * 1024 * 1024;

/** The files in a zip, a tar or a gzipped tar. Throws `Refusal` 400 for anything else and for paths that lead outside. */
export function unpack(archive: Buffer): readonly ArchiveEntry[] {
  try {
    const entries = archive.readUInt32BE() === 0x504b0304 ? unzip(archive) : untar(gunzipped(archive));
    if (entries.length > 0 && entries.every(({ path }) => !path.split("/").includes(".."))) return entries;
  } catch (error) {
    if (!(error instanceof RangeError || (error instanceof Error && "code" in error))) throw error;
  }
  throw new Refusal(400, "The body is not an archive that can be exploded: zip, tar or tar.gz");
}

function gunzipped(archive: Buffer): Buffer {
  return archive.readUInt16BE() === 0x1f8b ? gunzipSync(archive, { maxOutputLength: largest }) : archive;
}

/** Reads the headers of 512 bytes, each with the content after it, up to the empty one. */
function untar(archive: Buffer): readonly ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  for (let at = 0; archive[at] !== 0 && at < archive.length; ) {
    const text = (from: number, length: number) =>
      archive.toString("utf8", at + from, at + from + length).split("\0", 1)[0] ?? "";
    if (text(257, 5) !== "ustar") throw new RangeError("no tar");
    const size = Number.parseInt(text(124, 12), 8);
    const prefix = text(345, 155);
    const content = archive.subarray(at + 512, at + 512 + size);
    if (["", "0"].includes(text(156, 1)))
      entries.push({ path: `${prefix === "" ? "" : `${prefix}/`}${text(0, 100)}`.replace(/^(\.\/)+/, ""), content });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}

/** Reads the directory at the end of a zip. */
function unzip(archive: Buffer): readonly ArchiveEntry[] {
  const end = archive.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const entries: ArchiveEntry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [method, size] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const local = archive.readUInt32LE(at + 42);
    const path = archive.toString("utf8", at + 46, at + 46 + (name ?? 0));
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const stored = archive.subarray(start, start + size);
    if (!path.endsWith("/"))
      entries.push({ path, content: method === 0 ? stored : inflateRawSync(stored, { maxOutputLength: largest }) });
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}
