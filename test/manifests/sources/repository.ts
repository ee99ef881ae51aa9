import { gitFiles } from "../../../src/manifests/sources/git-files.ts";
import { openRepository } from "../../../src/manifests/sources/repository.ts";
import { type HostileRepository, hostileRepository } from "../../support/hostile-repository.ts";
import { workspaceText } from "../support/workspace.ts";

export function build(): Promise<HostileRepository> {
  return hostileRepository({
    honest: { "tools/setpoint.yaml": workspaceText, "tools/m/a.yaml": "name: honest\n" },
    hostile: { "tools/m/a.yaml": "name: hostile\n" },
  });
}

/** The content of a file at a ref. */
export async function fileAt(
  { tools }: HostileRepository,
  ref: string,
  env?: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const files = await gitFiles(await openRepository(tools, "setpoint.yaml", env), ref);
  return Buffer.from(await files.read("m/a.yaml")).toString();
}
