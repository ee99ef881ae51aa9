import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The licences of the packages that contain the modules, as one text. A package without a licence file is listed with its author. */
export function licencesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((path) => folderOf(path) ?? []));
  return [...folders].map(licenceOf).toSorted().join("\n");
}

/** The folder of the package that contains a module; undefined for our own modules. */
function folderOf(path: string): string | undefined {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return folder !== undefined && existsSync(join(folder, "package.json")) ? folder : undefined;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author?: string | { readonly name: string };
}

function licenceOf(folder: string): string {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { name, version, license, author } = manifest;
  const by = typeof author === "string" ? author : author?.name;
  const [file] = globSync("{LICEN[CS]E,licen[cs]e}*", { cwd: folder }).toSorted();
  const text = file === undefined ? by : readFileSync(join(folder, file), "utf8").trim();
  if (license === undefined || text === undefined) throw new Error(`${name} says neither its licence nor whose it is.`);
  return `${name} ${version} (${license})\n${"-".repeat(78)}\n${text}\n`;
}
