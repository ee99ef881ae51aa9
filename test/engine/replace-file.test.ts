import { lstat, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { writeWhole } from "../../src/clients/http/files.ts";
import { replaceFile } from "../../src/engine/replace-file.ts";
import { temporaryFolder } from "../support/commands.ts";

const ways = [
  ["what a command writes", (path: string) => replaceFile(path, "text", 0o600)],
  ["what is downloaded", (path: string) => writeWhole(Readable.from(["text"]), path)],
] as const;

test.each(ways)("%s replaces a file, but never a device", async (_name, write) => {
  await using folder = await temporaryFolder();
  // Only a link to the device could be lost.
  const [device, file] = [join(folder.path, "null"), join(folder.path, "file")];
  await symlink("/dev/null", device);
  await write(device);
  expect((await lstat(device)).isSymbolicLink()).toBe(true);
  await write(file);
  await write(file);
  expect(await readFile(file, "utf8")).toBe("text");
});
