/**
 * Builds `dist/` for the published package: one bundle of the sources and their imports, the licences, and the type
 * declarations. `scripts/page.ts`, which npm runs afterwards, makes the page of the HTML report.
 */
import { spawnSync } from "node:child_process";
import { globSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./build/bundle.ts";
import { licencesOf } from "./build/licences.ts";
import { publishDeclarations } from "./build/publish.ts";

// An incremental build: files that have not changed since the last one are not compiled again.
const compiled = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "tsconfig.build.json"], {
  stdio: "inherit",
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
await publishDeclarations(".cache/build", "dist", { setpoint: "setpoint.d.ts", clients: "clients/index.d.ts" });

const { modules, files } = await bundle("dist/program");
for (const old of globSync("**/*.{js,cjs}", { cwd: "dist" }))
  if (!files.some((file) => join("program", file) === old)) rmSync(join("dist", old));
writeFileSync("dist/THIRD-PARTY-LICENSES", licencesOf(modules));
