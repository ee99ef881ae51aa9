import { readFileSync } from "node:fs";
import { rolldown } from "rolldown";
import { loadLater } from "./load-later.ts";

/** What can be started or imported, and the source of each. */
const entries = { main: "src/cli/main.ts", setpoint: "src/setpoint.ts", clients: "src/clients/index.ts" };

/** What `--version` needs. */
const first = /\/src\/cli\/(main|installed|interrupts)\.ts$/;

/** What is installed with the package stays outside; everything else that the sources import is bundled. */
const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync("package.json", "utf8"),
);

/** Optional peers: whoever uses a queue installs them. */
const peers = ["bullmq", "ioredis"];

/** What a bundle came to: its files, and the paths of the modules that are in them. */
interface Bundled {
  readonly files: readonly string[];
  readonly modules: readonly string[];
}

/**
 * Bundles the sources with what they import into `folder`, which is two folders below the root of a package: the programs
 * find what is beside them from there. Functions keep their names, so that a stack trace can be read; comments and spaces
 * go.
 */
export async function bundle(folder: string): Promise<Bundled> {
  const build = await rolldown({
    input: entries,
    platform: "node",
    external: [...Object.keys(dependencies), ...peers].map((name) => new RegExp(`^${name}(/|$)`)),
    // A module that decides when it runs what it is, as UMD does, cannot be bundled.
    resolve: { mainFields: ["module", "main"] },
    plugins: [loadLater],
    logLevel: "warn",
    onLog(_level, { code, message }) {
      // What many commands share is in one file, whoever else loads it later.
      if (code !== "INEFFECTIVE_DYNAMIC_IMPORT") throw new Error(message);
    },
  });
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunk-[name].js",
    comments: false,
    // A file takes a millisecond to find and read: what many commands share is one.
    codeSplitting: { groups: [{ name: "common", minShareCount: 8, test: (id) => !first.test(id) }] },
    minify: { compress: false, mangle: { toplevel: false, keepNames: true }, codegen: { removeWhitespace: true } },
  });
  await build.close();
  return {
    files: output.map(({ fileName }) => fileName),
    modules: output.flatMap((one) => (one.type === "chunk" ? one.moduleIds : [])),
  };
}
