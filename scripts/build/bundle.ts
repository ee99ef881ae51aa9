import { rolldown } from "rolldown";

/** What can be started or imported, and the source of each. */
const entries = { main: "src/cli/main.ts", setpoint: "src/setpoint.ts", clients: "src/clients/index.ts" };

/** Optional peers: whoever uses a queue installs them. */
const peers = ["bullmq", "ioredis"];

/** A module that is in the bundle, by its path from the root. */
export type Bundled = readonly string[];

/**
 * Bundles the sources with what they import into `folder`, which is two folders below the root of a package: the programs
 * find what is beside them from there. Names stay as they are, so that a stack trace can be read; comments go.
 */
export async function bundle(folder: string): Promise<Bundled> {
  const build = await rolldown({
    input: entries,
    platform: "node",
    external: peers,
    // A module that decides when it runs what it is, as UMD does, cannot be bundled.
    resolve: { mainFields: ["module", "main"] },
    logLevel: "warn",
    onLog(_level, { message }) {
      throw new Error(message);
    },
  });
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunk-[name].js",
    comments: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false } },
  });
  await build.close();
  return output.flatMap((one) => (one.type === "chunk" ? one.moduleIds : []));
}
