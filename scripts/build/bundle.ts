import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type InputOptions, type OutputOptions, rolldown } from "rolldown";
import { loadLater } from "./load-later.ts";

/** What can be imported, and the source of each. */
const libraries = { setpoint: "src/setpoint.ts", clients: "src/clients/index.ts" };

/** What `--version` needs of what others need too. */
const first = /\/src\/cli\/(installed|interrupts|memory)\.ts$/;

/** What the commands of every day need besides what many share. */
const daily = /\/src\/cli\/((?!main\b)[\w-]+|commands\/(validate|plan))\.ts$/;

/** The whole parser of YAML: a file without mistakes needs a part of it that is ours. */
const yaml = /\/node_modules\/yaml\//;

/** What a run with a base needs of git. */
const git = /\/src\/manifests\/sources\/(applied-ref|git-\w+|git-log-ref|repository)\.ts$/;

/** Small commands and forms of reports that few runs use: each file more is about a hundred bytes of the package. */
const seldom =
  /\/src\/(cli\/commands\/(ack|adopt|doctor|fmt|graph|history|import|report|revert|runs)|reports\/(csv|doctor-report|file-diff|graph|junit|locations|sarif))\.ts$/;

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
  const options = {
    platform: "node",
    external: [...Object.keys(dependencies), ...peers].map((name) => new RegExp(`^${name}(/|$)`)),
    // A module that decides when it runs what it is, as UMD does, cannot be bundled.
    resolve: { mainFields: ["module", "main"] },
    plugins: [loadLater],
    // What V8 compiles ahead is kept for the next run, and most runs need few of the modules.
    optimization: { pifeForModuleWrappers: false },
    logLevel: "warn",
    // How long it takes is no mistake.
    checks: { pluginTimings: false },
    onLog(_level, { code, message }) {
      // What many commands share is in one file, whoever else loads it later.
      if (code !== "INEFFECTIVE_DYNAMIC_IMPORT") throw new Error(message);
    },
  } satisfies InputOptions;
  const written = {
    dir: folder,
    comments: false,
    minify: {
      compress: { keepNames: { function: false, class: true } },
      mangle: { toplevel: true, keepNames: { function: false, class: true } },
      codegen: { removeWhitespace: true },
    },
  } satisfies OutputOptions;

  const build = await rolldown({ ...options, input: { main: "src/cli/main.ts", ...libraries } });
  const { output } = await build.write({
    ...written,
    // V8 tells of a script, and not of a module, what it has compiled by the end of a run.
    format: "cjs",
    // A script cannot import.
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunk-[name]-[hash].cjs",
    // A file takes a millisecond to find and read: what many commands share is one.
    codeSplitting: {
      groups: [
        { name: "first", test: first, priority: 1 },
        { name: "common", minShareCount: 8 },
        { name: "yaml", test: yaml, priority: 1 },
        { name: "daily", test: daily },
        { name: "git", test: git },
        { name: "seldom", test: seldom },
      ],
    },
  });
  await build.close();
  const starting = await rolldown({ ...options, input: { start: "src/cli/start.ts" } });
  await starting.write({ ...written, format: "esm", entryFileNames: "[name].js" });
  await starting.close();

  const chunks = output.flatMap((one) => (one.type === "chunk" ? [one] : []));
  for (const { name, isEntry, exports } of chunks)
    if (isEntry && name in libraries) writeFileSync(join(folder, `${name}.js`), moduleOf(name, exports));
  return {
    files: [
      ...output.map(({ fileName }) => fileName),
      ...["start", ...Object.keys(libraries)].map((name) => `${name}.js`),
    ],
    modules: chunks.flatMap(({ moduleIds }) => moduleIds),
  };
}

/** A module with what a script exports. */
function moduleOf(name: string, exports: readonly string[]): string {
  return `import script from "./${name}.cjs";\nexport const { ${exports.join(", ")} } = script;\n`;
}
