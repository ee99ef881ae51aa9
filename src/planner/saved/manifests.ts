import { createHash } from "node:crypto";
import type { Problem } from "../../core/problem.ts";
import type { Address, Resource } from "../../core/resource.ts";
import type { SavedManifests } from "../../core/run/plan.ts";
import { canonicalJson, defined, isObject } from "../../core/text/json.ts";
import { shortCommit, someOf } from "../../core/text/words.ts";
import { fingerprint } from "../compile.ts";
import type { Declarations } from "../subjects.ts";

/** The content of the manifests, independent of how they are written: the declared resources and the workspace's rules. */
export interface Stated {
  readonly resources: readonly Resource[];
  /** The parts of a workspace that determine what a plan does, by name. */
  readonly rules: Readonly<Record<string, unknown>>;
  /** The folder of the workspace on this machine. */
  readonly folder: string;
  /** The commit that is checked out, if the workspace is in a repository. */
  readonly commit: string | undefined;
}

/** Returns what resources state. Those declared from a service's list are left out: the list may have grown a moment later. */
function statedBy(resources: readonly Resource[]) {
  return resources
    .filter(({ listed }) => listed !== true)
    .map(({ address, role, scope, spec, metadata }) => [address, { role, scope, spec, metadata }] as const);
}

/** Returns hashes of the manifests to save with a plan, so that other manifests are recognised and the difference can be named. */
export function manifestsOf({ resources, rules, folder, commit }: Stated): SavedManifests {
  const prints = (entries: readonly (readonly [string, unknown])[]) =>
    Object.fromEntries(entries.map(([name, value]) => [name, fingerprint(portable(value, folder))]));
  const content = { rules: prints(Object.entries(rules)), resources: prints(statedBy(resources)) };
  return defined({ digest: fingerprint(content), commit, ...content });
}

/** Returns one hash of the manifests and rules, the same on every machine, without a hash of each resource in memory. */
export function digestOf({ desired, base }: Declarations, rules: unknown, folder: string): string {
  const hash = createHash("sha256").update(canonicalJson(rules));
  const add = (resources: readonly Resource[]) => {
    for (const stated of statedBy(resources)) hash.update(canonicalJson(portable(stated, folder)));
  };
  add(desired);
  hash.update(base === undefined ? "without a base" : "base");
  add(base ?? []);
  return hash.digest("hex");
}

/** Returns the problem SP2004, which names the differences, if the manifests are no longer those of the plan; otherwise none. */
export function manifestProblems(
  saved: SavedManifests,
  now: SavedManifests,
  resources: readonly Resource[],
): readonly Problem[] {
  const isOther = saved.commit !== undefined && now.commit !== undefined && saved.commit !== now.commit;
  if (saved.digest === now.digest && !isOther) return [];
  const fileOf = new Map<Address, string>(resources.map(({ address, place }) => [address, place.file]));
  const named = (address: Address) => {
    const file = fileOf.get(address);
    return file === undefined ? address : `${address} (${file})`;
  };
  const before = saved.resources;
  const after = now.resources;
  const kept = Object.keys(after).filter((address) => Object.hasOwn(before, address));
  const sorts: readonly (readonly [string, readonly string[]])[] = [
    ["changed", kept.filter((address) => after[address] !== before[address])],
    ["new", Object.keys(after).filter((address) => !Object.hasOwn(before, address))],
    ["removed", Object.keys(before).filter((address) => !Object.hasOwn(after, address))],
    [
      "workspace rules changed",
      Object.keys({ ...saved.rules, ...now.rules }).filter((rule) => saved.rules[rule] !== now.rules[rule]),
    ],
  ];
  const differing = sorts.flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what}: ${someOf(names.map(named))}`],
  );
  const commits = isOther
    ? [`commit ${shortCommit(now.commit)} is checked out, but the plan was made from ${shortCommit(saved.commit)}`]
    : [];
  const difference = [...commits, ...(differing.length === 0 ? ["no declared resource differs"] : differing)];
  return [
    {
      code: "SP2004",
      message: `The manifests are not those of the plan: ${difference.join("; ")}.`,
      hint: `Plan again and review that plan${isOther ? ", or check out the commit of this one" : ""}. Use the same version of setpoint and the same -e, --var and --values for both.`,
    },
  ];
}

/**
 * Returns a copy of plain JSON with the workspace's folder replaced by `.` in what names a file to send, which is beside its
 * SHA-256: another machine has the file elsewhere. A value of a manifest is the same on every machine.
 */
export function portable<T>(value: T, folder: string): T {
  const inside = folder.endsWith("/") ? folder : `${folder}/`;
  const moved = (at: unknown) =>
    typeof at === "string" && at.startsWith(inside) ? `./${at.slice(inside.length)}` : at;
  const text = JSON.stringify(value, (_name, inner: unknown) =>
    isObject(inner) && "sha256" in inner
      ? Object.fromEntries(Object.entries(inner).map(([name, at]) => [name, moved(at)]))
      : inner,
  );
  return JSON.parse(text);
}
