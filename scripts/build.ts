/**
 * Builds `dist/` for the published package: JavaScript and type declarations from the sources, and the page of the HTML
 * report. What has not changed since the last build is not compiled again.
 */
import { spawnSync } from "node:child_process";
import { publish } from "./build/publish.ts";

const compiled = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});
if (compiled.status === 0) publish(".cache/build", "dist", ["setpoint.d.ts", "clients/index.d.ts"]);
process.exitCode = compiled.status ?? 1;
await import("./page.ts");
