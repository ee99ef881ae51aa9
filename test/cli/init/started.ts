import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Ended, type Folder, setpoint, temporaryFolder } from "../../support/commands.ts";

type Init = (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ended>;

/** An empty folder, or one called `below` inside it: `init` refers to the schemas of a nearby checkout. */
export async function emptyFolder(below = ""): Promise<Folder & { readonly init: Init }> {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, below);
  await mkdir(path, { recursive: true });
  const init: Init = (args, env = {}) => setpoint(["init", ...args], { cwd: path, env: { COLUMNS: "80", ...env } });
  return { ...folder, path, init };
}
