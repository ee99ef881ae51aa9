/** Builds `dist/` for the published package: JavaScript and type declarations from the sources. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
const compiled = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});
process.exitCode = compiled.status ?? 1;
