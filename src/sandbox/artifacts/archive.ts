import { gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { Parser } from "tar/parse";
import { Refusal } from "../refusal.ts";

/** Files by their paths. */
type Unpacked = Readonly<Record<string, Uint8Array>>;

/** The most bytes that an archive can unpack to. */
const largest = 64 * 1024 * 1024;

/** Returns the files in a zip, a tar or a gzipped tar. Throws `Refusal` 400 for anything else and for paths that contain `..`. */
export function unpack(archive: Buffer): Unpacked {
  try {
    const files = archive.readUInt32BE() === 0x504b0304 ? unzip(archive) : untar(gunzipped(archive));
    const paths = Object.keys(files);
    if (paths.length > 0 && paths.every((path) => !path.split("/").includes(".."))) return files;
  } catch (error) {
    if (!(error instanceof RangeError || (error instanceof Error && "code" in error))) throw error;
  }
  throw new Refusal(400, "The body is not an archive that can be exploded: zip, tar or tar.gz");
}

function gunzipped(archive: Buffer): Buffer {
  return archive.readUInt16BE() === 0x1f8b ? gunzipSync(archive, { maxOutputLength: largest }) : archive;
}

function untar(archive: Buffer): Unpacked {
  const files: (readonly [path: string, chunks: readonly Buffer[]])[] = [];
  const parser = new Parser({
    strict: true,
    onReadEntry(entry) {
      const chunks: Buffer[] = [];
      if (/File$/.test(entry.type)) files.push([entry.path.replace(/^(\.\/)+/, ""), chunks]);
      entry.on("data", (chunk) => chunks.push(chunk));
    },
  });
  // Without an error listener the parser throws its errors. It parses a whole archive synchronously.
  parser.end(archive);
  return Object.fromEntries(files.map(([path, chunks]) => [path, Buffer.concat(chunks)]));
}

function unzip(archive: Buffer): Unpacked {
  let size = 0;
  return unzipSync(archive, {
    filter({ name, originalSize }) {
      size += originalSize;
      if (size > largest) throw new RangeError("The archive is too large");
      return !name.endsWith("/");
    },
  });
}
