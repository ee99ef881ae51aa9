import { strToU8, zipSync } from "fflate";
import { Header, Pax } from "tar";

/** Returns a tar with the given files. An extended header has what does not fit into a POSIX header. */
export function tarOf(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text);
    const facts = { path, size: content.length, type: "File", mode: 0o644 } as const;
    const header = new Header(facts);
    const extended = header.encode() ? [new Pax(facts).encode()] : [];
    return [...extended, header.block ?? Buffer.alloc(0), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** Returns a zip with the given files, deflated. A name that ends in a slash is a folder. */
export function zipOf(files: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)]))));
}
