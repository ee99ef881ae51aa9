import { readFileSync } from "node:fs";
import { rolldown } from "rolldown";
import { loadLater } from "./load-later.ts";

/** What can be started or imported, and the source of each. */
const entries = { main: "src/cli/main.ts", setpoint: "src/setpoint.ts", clients: "src/clients/index.ts" };

/** What `--version` needs of what others need too. */
const first = /\/src\/cli\/(installed|interrupts|memory)\.ts$/;

/** What the commands of every day need besides what many share. */
const daily = /\/src\/cli\/((?!main\b)[\w-]+|commands\/(validate|plan))\.ts$/;

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
 * find what is beside them from there. Classes keep their names, which messages of errors begin with; comments, spaces and
 * other names go.
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
    // How long it takes is no mistake.
    checks: { pluginTimings: false },
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
    codeSplitting: {
      groups: [
        { name: "first", test: first, priority: 1 },
        { name: "common", minShareCount: 8 },
        { name: "daily", test: daily },
      ],
    },
    minify: {
      compress: { keepNames: { function: false, class: true } },
      mangle: { toplevel: true, keepNames: { function: false, class: true } },
      codegen: { removeWhitespace: true },
    },
  });
  await build.close();
  return {
    files: output.map(({ fileName }) => fileName),
    modules: output.flatMap((one) => (one.type === "chunk" ? one.moduleIds : [])),
  };
}
