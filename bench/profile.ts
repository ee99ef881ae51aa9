/**
 * Shows where the time of the largest case goes: `node bench/profile.ts [documents]`. Plans 10,000 resources, or as many as
 * asked for, from the sources, on a service that answers immediately, and prints the self time of functions and of the parts
 * that they belong to. To compare two versions, run it in both.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withContext } from "./harness/context.ts";
import { CpuProfile, selfTimes } from "./harness/profile.ts";
import { workspaceFor } from "./harness/workspace.ts";

const root = join(import.meta.dirname, "..");
const documents = Number(process.argv[2] ?? 10_000);

await withContext(false, async (context) => {
  const service = await context.fake("bench/fake/hosting.ts");
  const { cwd, env } = workspaceFor(context, { url: service.url, documents });
  const profiles = join(context.folder, "profiles");
  await context.run({
    command: [process.execPath, "--cpu-prof", `--cpu-prof-dir=${profiles}`, join(root, "src/cli/main.ts"), "plan"],
    cwd,
    env: { HOME: context.folder, NO_COLOR: "1", ...env },
  });
  // Every thread writes its own profile.
  for (const file of readdirSync(profiles)) {
    const profile = CpuProfile.parse(JSON.parse(readFileSync(join(profiles, file), "utf8")));
    const { functions, parts } = selfTimes(profile, root);
    for (const times of [parts.slice(0, 12), functions.slice(0, 30)])
      console.log(
        `${times.map(({ where, milliseconds }) => `${milliseconds.toFixed(0).padStart(7)} ms  ${where}`).join("\n")}\n`,
      );
  }
});
