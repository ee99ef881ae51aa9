import { diskFiles, type FileSource } from "../../src/manifests/sources/files.ts";

/** The default folder of the files that manifests deploy: that of the examples. */
const deployable = new URL("../../examples/kinds/", import.meta.url).pathname;

/**
 * Returns a file source in memory instead of a workspace's files on disk. Every glob finds all files in `manifests/`.
 * Files to deploy are found and read in a folder on disk that stands for `manifests/`.
 */
export function inMemory(files: Readonly<Record<string, string>>, folder = deployable): FileSource {
  const bytes = (path: string) => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
    return new TextEncoder().encode(text);
  };
  return {
    list: async () =>
      Object.keys(files)
        .filter((path) => path.startsWith("manifests/") && path.endsWith(".yaml"))
        .sort(),
    read: async (path) => bytes(path),
    size: async (path) => bytes(path).length,
    digest: (path) => diskFiles(folder).digest(path.replace(/^manifests\//, "")),
    check: (path) => diskFiles(folder).check(path.replace(/^manifests\//, "")),
  };
}
