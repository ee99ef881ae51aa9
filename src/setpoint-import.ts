import { ProblemError } from "./core/problem.ts";
import { importManifests, writeManifests } from "./engine/import.ts";
import { besidesNoManifests, type Reading, serviceNamed } from "./engine/load-workspace.ts";
import type { Connections } from "./engine/sessions.ts";
import type { LoadOptions } from "./manifests/load.ts";
import type { Judged } from "./manifests/trust/judge.ts";
import { kinds } from "./reconcilers/registry.ts";
import { selectionOf } from "./setpoint-declare.ts";
import type { Importing, OpenWorkspace, Wrong } from "./setpoint-types.ts";

/** What importing needs of the composition. */
interface Parts {
  readonly connections: Connections;
  readonly load: (lists: Pick<LoadOptions, "readLiveList" | "repeats">) => Promise<Judged>;
  readonly reading: Reading;
  /** The folder of the workspace. */
  readonly folder: string;
  readonly now: () => Date;
  readonly unlessInterrupted: <T>(value: T) => T;
}

/** Makes manifests of what a service has and nobody declares. */
export async function importing(
  name: string,
  { kinds: only = [], out = `manifests/${name}` }: NonNullable<Parameters<OpenWorkspace["importFrom"]>[1]>,
  { connections, load, reading, folder, now, unlessInterrupted }: Parts,
): Promise<Importing | Wrong> {
  const { repeats } = selectionOf({ service: [name] });
  const { readLiveList } = connections;
  const loaded = await load({ readLiveList, repeats });
  // A workspace without manifests is where an import begins.
  const problems = loaded.workspace === undefined ? loaded.problems : besidesNoManifests(loaded.problems, reading);
  if (loaded.workspace === undefined || problems.length > 0) return { is: "wrong", problems, files: loaded.files };
  const { services } = loaded.workspace;
  try {
    const service = serviceNamed(services, name);
    const { sessions, readers } = await connections.open(services);
    const declared = loaded.resources;
    const input = { service, services, kinds, only, declared, readers, now: now(), folder, out };
    const imported = unlessInterrupted(await importManifests(input));
    const reads = sessions.get(name)?.requests.reads ?? 0;
    return { is: "imported", imported, reads, write: () => writeManifests(folder, imported.manifests) };
  } catch (error) {
    // An unknown service or kind is wrong input; anything else ended the run.
    const isInput =
      error instanceof ProblemError && error.problems.every(({ code }) => code === "SP1008" || code === "SP1009");
    if (isInput) return { is: "wrong", problems: error.problems, files: loaded.files };
    throw error;
  }
}
