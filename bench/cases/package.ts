import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Case } from "../harness/case.ts";

const root = join(import.meta.dirname, "../..");

/** What an installation takes. */
export const packageSize: Case = {
  name: "package",
  title: "The package",
  how: "`npm pack` of the built tree, and its installation into an empty folder from npm's cache: bytes of all files.",
  async prepare(context) {
    const npm = (args: readonly string[], cwd: string) =>
      context.run({ command: ["npm", ...args], cwd, env: { HOME: homedir(), npm_config_update_notifier: "false" } });
    const tarball = () => readdirSync(context.folder).find((name) => name.endsWith(".tgz")) ?? "";
    return {
      is: "ready",
      rounds: 1,
      sides: [
        {
          name: "packed",
          async run() {
            await npm(["pack", "--ignore-scripts", "--pack-destination", context.folder], root);
            return { bytes: statSync(join(context.folder, tarball())).size, packages: 1 };
          },
        },
        {
          name: "installed",
          async run() {
            const cwd = join(context.folder, "installed");
            mkdirSync(cwd);
            writeFileSync(join(cwd, "package.json"), '{ "private": true }');
            const options = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
            await npm(["install", ...options, join(context.folder, tarball())], cwd);
            const lock: { readonly packages: object } = JSON.parse(
              readFileSync(join(cwd, "package-lock.json"), "utf8"),
            );
            // The first entry is the folder itself.
            return { bytes: sizeOf(join(cwd, "node_modules")), packages: Object.keys(lock.packages).length - 1 };
          },
        },
      ],
      verdicts: (of) => [
        { what: "packed", value: of("packed", "bytes"), unit: "bytes", target: { is: "at most", value: 600e3 } },
        { what: "installed", value: of("installed", "bytes"), unit: "bytes", target: { is: "at most", value: 12e6 } },
        { what: "dependencies of its own", value: dependencies(), unit: "count" },
      ],
    };
  },
};

function dependencies(): number {
  const { dependencies = {} }: { readonly dependencies?: object } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  return Object.keys(dependencies).length;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
