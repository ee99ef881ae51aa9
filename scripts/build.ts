/**
 * Builds `dist/` for the published package: JavaScript and type declarations from the sources, and the page of the HTML
 * report. What has not changed since the last build is not compiled again.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, rmSync } from "node:fs";

for (const file of globSync("dist/**/*.{js,d.ts}"))
  if (!existsSync(file.replace(/^dist/, "src").replace(/(\.d)?\.[jt]s$/, ".ts"))) rmSync(file);
const compiled = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});
process.exitCode = compiled.status ?? 1;
await import("./page.ts");
