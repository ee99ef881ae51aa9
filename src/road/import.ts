import { relative, resolve } from "node:path";
import { hasOnly, type Wrong } from "../core/problem.ts";
import { pathPattern } from "../core/text/glob.ts";
import { importObjects, writeManifests } from "../engine/import.ts";
import { besidesNoManifests, serviceNamed } from "../engine/load-workspace.ts";
import type { Connections } from "../engine/sessions.ts";
import { neverListed } from "../manifests/sources/list-files.ts";
import { kinds } from "../reconcilers/registry.ts";
import { selectionOf } from "./declare.ts";
import { type Road, unlessInterrupted } from "./road.ts";
import type { Importing, OpenWorkspace } from "./types.ts";

/** Makes manifests of the objects of a service that no manifest declares. */
export async function importing(
  name: string,
  { kinds: only = [], out = `manifests/${name}` }: NonNullable<Parameters<OpenWorkspace["importFrom"]>[1]>,
  connections: Connections,
  road: Road,
): Promise<Importing | Wrong> {
  const { repeats } = selectionOf({ service: [name] });
  const { readLiveList } = connections;
  const { files, reading, folder, now } = road;
  const loaded = await road.load(files, { readLiveList, repeats });
  // A workspace without manifests is where an import begins.
  const problems = loaded.workspace === undefined ? loaded.problems : besidesNoManifests(loaded.problems, reading);
  if (loaded.workspace === undefined || problems.length > 0) return { is: "wrong", problems };
  const { services } = loaded.workspace;
  const from = relative(folder, resolve(folder, out));
  if (neverListed.test(`${from}/`)) {
    const hint = "Name another folder with --out.";
    return { is: "wrong", problems: [{ code: "SP1017", message: `No glob finds what is in ${from}.`, hint }] };
  }
  try {
    const service = serviceNamed(services, name);
    const { sessions, readers } = await connections.open(services);
    const input = { service, services, kinds, only, desired: loaded.resources, readers, now: now(), folder };
    const imported = unlessInterrupted(road, await importObjects({ ...input, out: from }));
    const reads = sessions.get(name)?.requests.reads ?? 0;
    const isFound = pathPattern(loaded.workspace.manifests);
    const unfound = imported.manifests.map(({ file }) => file).filter((file) => !isFound(file));
    return { is: "imported", imported, unfound, reads, write: () => writeManifests(folder, imported.manifests) };
  } catch (error) {
    // An unknown service or kind is wrong input; anything else ended the run.
    if (hasOnly(error, "SP1008", "SP1009")) return { is: "wrong", problems: error.problems };
    throw error;
  }
}
