/** Checks the import rules, and that modules were read at all: a tool that reads nothing reports no violations. */
import { spawnSync } from "node:child_process";

const cruised = spawnSync(
  process.execPath,
  [
    "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs",
    "src",
    "test",
    "--output-type",
    "json",
    "--config",
    ".dependency-cruiser.cjs",
  ],
  { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 },
);
const { summary }: { readonly summary: Summary } = JSON.parse(cruised.stdout);

interface Summary {
  readonly totalCruised: number;
  readonly violations: readonly {
    readonly from: string;
    readonly to: string;
    readonly rule: { readonly name: string };
  }[];
}

for (const { from, to, rule } of summary.violations) console.error(`${rule.name}: ${from} imports ${to}`);
if (summary.totalCruised === 0) console.error("No module was read: the rules were not checked.");
else if (summary.violations.length === 0) console.log(`All imports in ${summary.totalCruised} modules are allowed.`);
process.exitCode = summary.totalCruised === 0 || summary.violations.length > 0 ? 1 : 0;
