import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type InputOptions, type OutputOptions, rolldown } from "rolldown";
import { loadLater } from "./load-later.ts";

/** The importable modules, and the source of each. */
const libraries = { setpoint: "src/setpoint.ts", clients: "src/clients/index.ts" };

/** Matches the modules that the entry file needs first and that other files share. */
const first = /\/src\/cli\/(installed|interrupts|memory)\.ts$/;

/** Matches what the everyday commands need, in addition to what many commands share. */
const daily =
  /\/src\/cli\/((?!main\b)[\w-]+|(options|results)\/[\w-]+|commands\/(manifests\/validate|plans\/(apply|plan)))\.ts$/;

/** Matches the complete YAML parser. A file without errors needs only our own, smaller one. */
const yaml = /\/node_modules\/yaml\//;

/** Matches what opens connections, also where other files need some of it. */
const connecting = /\/src\/clients\/(connect|credentials\/roots|http\/connections\/trusted-certificates)\.ts$/;

/** Matches what a run with a base needs from git. */
const git = /\/src\/manifests\/sources\/(applied-ref|git-\w+|git-log-ref|repository)\.ts$/;

/** Matches small, rarely used commands and report formats. They share a file, because each file adds about a hundred bytes. */
const seldom =
  /\/src\/(cli\/commands\/(completion|doctor|kinds|sandbox|manifests\/(ack|adopt|fmt|graph|import|init)|past\/\w+|plans\/(merge|report))|reports\/(file-diff|formats\/(csv|graph|junit|locations|sarif)))\.ts$/;

/** The dependencies, which are installed with the package and not bundled. All other imports of the sources are bundled. */
const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync("package.json", "utf8"),
);

/** Optional peer dependencies. Users of a queue install them. */
const peers = ["bullmq", "ioredis"];

/** The result of bundling: the files, and the paths of the modules in them. */
interface Bundled {
  readonly files: readonly string[];
  readonly modules: readonly string[];
}

/**
 * Bundles the sources and their imports into `folder`, which has to be two folders below the root of a package, because the
 * programs find other files relative to it. Classes keep their names, which error messages start with. Comments, spaces and
 * other names are removed.
 */
export async function bundle(folder: string): Promise<Bundled> {
  const options = {
    platform: "node",
    external: [...Object.keys(dependencies), ...peers].map((name) => new RegExp(`^${name}(/|$)`)),
    // A module that detects its module system at run time, such as UMD, cannot be bundled.
    resolve: { mainFields: ["module", "main"] },
    plugins: [loadLater],
    // No module is imported only for what it does when it is loaded, so one of which nothing is used is left out.
    treeshake: { moduleSideEffects: false },
    // Code that V8 compiles eagerly is kept for the next run, and most runs need few of the modules.
    optimization: { inlineConst: true, pifeForModuleWrappers: false },
    logLevel: "warn",
    // A slow plugin is not an error.
    checks: { pluginTimings: false },
    onLog(_level, { code, message }) {
      // A module that many commands share is in the common file, even if others import it dynamically.
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
    // At the end of a run, V8 can export the compiled code of a script, but not that of a module.
    format: "cjs",
    // The scripts are run by `start.ts`, where a dynamic import would not work.
    dynamicImportInCjs: false,
    entryFileNames: "[name].cjs",
    chunkFileNames: "chunk-[name]-[hash].cjs",
    // Finding and reading a file takes a millisecond, so modules that many commands share are in one file.
    codeSplitting: {
      groups: [
        { name: "first", test: first, priority: 1 },
        { name: "common", minShareCount: 8 },
        { name: "yaml", test: yaml, priority: 1 },
        { name: "connect", test: connecting },
        { name: "daily", test: daily },
        { name: "git", test: git },
        { name: "seldom", test: seldom },
        { name: "queue", test: /\/src\/engine\/queue\// },
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

/** The text of a module with the exports of a script. */
function moduleOf(name: string, exports: readonly string[]): string {
  return `import script from "./${name}.cjs";\nexport const { ${exports.join(", ")} } = script;\n`;
}
