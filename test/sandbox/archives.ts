import { deflateRawSync } from "node:zlib";

/** A tar with the given files, as `tar` of POSIX writes it. */
export function tarOf(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const header = Buffer.alloc(512);
    const content = Buffer.from(text);
    header.write(path, 0);
    header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("0", 156);
    header.write("ustar\0" + "00", 257);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/** A zip with the given files, deflated; a name with a slash at its end is a folder. */
export function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [Buffer.from(path), deflateRawSync(text)];
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(content.length, 14);
    fields.writeUInt32LE(text.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const body = Buffer.concat([Buffer.from("PK\x03\x04"), fields, name, content]);
    bodies.push(body);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\0\0"), fields, place, name]));
    at += body.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, ...entries, end]);
}
