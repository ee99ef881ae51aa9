import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import { type CallOf, callOf } from "../../core/call.ts";
import type { Writable } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { unlessMissing } from "../../core/problem.ts";
import { sameJson } from "../../core/text/json.ts";
import { propertyName, propertyValue } from "../../core/text/property-name.ts";
import { Text } from "../shared/fields.ts";
import { observeAll } from "../shared/told.ts";
import { ItemPath, ownProperties, queryItems, RepositoryKey } from "./shared/items.ts";

const call = callOf<ArtifactsOperations>();

/** @see docs/facts.md, artifacts: A name begins with a letter, a value is cut */
const PropertyName = z
  .string()
  .max(255)
  .regex(propertyName, "expected a name: a letter first, and no spaces and )(}{][*+^$\\/~`!@#%&<>;=,±§|")
  .refine((name) => !name.startsWith(ownProperties), `names that begin with ${ownProperties} are setpoint's own`);
const PropertyValue = Text.max(2400).regex(
  propertyValue,
  "expected a value without ; and without a backslash or a space at its end",
);

const ItemProperties = z.strictObject({
  repo: RepositoryKey,
  path: ItemPath.describe("Path of a file or a folder in the repository."),
  properties: z
    .record(PropertyName, z.array(PropertyValue).min(1))
    .refine((properties) => Object.keys(properties).length > 0, "expected at least one property")
    .describe("Values by name, in any order."),
  recursive: z.boolean().default(false).describe("Whether the properties apply to everything in the folder too."),
  exclusive: z.boolean().default(false).describe("Whether properties that no manifest names are removed."),
});
type ItemProperties = z.infer<typeof ItemProperties>;
type Properties = ItemProperties["properties"];

/**
 * The managed names that the item or anything in it has, and whether the items differ in one of them; undefined if the item
 * does not exist.
 */
type Marker = { readonly names: readonly string[]; readonly isMixed: boolean } | undefined;

/** Properties of an item. Those that no manifest names are kept, unless the resource is `exclusive`. */
export const itemProperties: Kind<ItemProperties, ArtifactsOperations, Marker> = {
  kind: "ItemProperties",
  role: "artifacts",
  summary: "Properties of a stored file or folder.",
  spec: ItemProperties,
  budget: {
    reads:
      "1 query per 200 items or 6,000 characters; 1 more query per recursive folder. 1 getProperties for a single item, and per item that the query does not find; then 1 getItem if that finds no properties",
    writes: "1 setProperties per item, and 1 deleteProperties if names are removed",
  },
  notes: `The item must exist: properties of a missing item need a person, or a \`DeployedFile\` and a second apply. The
service drops the properties of a file if different content is stored in its place, so after a deployment the next apply
sets them. \`exclusive\` keeps \`artifactory.…\`, which the service sets itself.

If a resource is not exclusive, a name removed from \`properties\` is removed only if \`--base\` shows that the manifest
named it. With \`recursive\` a property differs if it differs on any item in the folder, and is then set on all of them, which
cannot be undone if they differ among themselves; do not declare properties of the same names inside the folder. Under
\`wire: documented\` properties cannot be read, and are unknown.

Properties are not imported: build tools set some on nearly everything that they store.`,
  key: ({ repo, path }) => `${repo}/${path}`,
  // The scope of the file itself, because storing a file removes its properties.
  scope: ({ repo, path }) => `${repo}/${path}`,
  normalize: ({ repo, path, properties }) => ({ repo, path, properties: sorted(properties) }),

  observe: (read, _scope, declared) =>
    observeAll(declared, itemProperties, async (wanted) => {
      const { repo, path, recursive, exclusive } = wanted;
      const item = await unlessMissing(read.getProperties({ repoKey: repo, path }));
      if (item === undefined) return { is: "absent", marker: undefined };
      const items = [item.properties, ...(recursive ? await propertiesBelow(read, wanted) : [])];
      const named = new Set(declared.flatMap(({ properties }) => Object.keys(properties)));
      // @see docs/facts.md, Artifacts: properties of the service itself
      const isManaged = (name: string) => named.has(name) || (exclusive && !/^(setpoint|artifactory)\./.test(name));
      const names = [...new Set(items.flatMap((properties) => Object.keys(properties)))].filter(isManaged).sort();
      const isMixed = names.some((name) => new Set(items.map((one) => JSON.stringify(valuesOf(one, name)))).size > 1);
      const marker = { names, isMixed };
      if (names.length === 0) return { is: "absent", marker };
      const spec = { ...wanted, properties: liveValues(names, wanted.properties, items) };
      return { is: "present", spec, marker };
    }),

  needsPerson: ({ action, marker }) =>
    action === "create" && marker === undefined
      ? "The item does not exist: deploy it first, for example with a DeployedFile, and plan again."
      : undefined,

  compile: (changes) => changes.flatMap(callsFor),

  // The values of each item are not in the journal, so a way back would set those of one item on all of them.
  risk: ({ marker }) => (marker?.isMixed === true ? ["irreversible"] : []),
};

/** Returns the values of each name: the wanted ones, or those of the first item that differs. */
function liveValues(names: readonly string[], wanted: Properties, items: readonly Properties[]): Properties {
  const values = names.map((name) => {
    const expected = valuesOf(wanted, name);
    const all = items.map((properties) => valuesOf(properties, name));
    return [name, all.find((found) => !sameJson(found, expected)) ?? expected] as const;
  });
  return Object.fromEntries(values.filter(([, found]) => found.length > 0));
}

async function propertiesBelow(read: ArtifactsReader, { repo, path }: ItemProperties): Promise<readonly Properties[]> {
  // @see docs/facts.md, Artifacts: a pattern with `%`
  const below = { $match: `${path.replaceAll(/[%^]/g, "?")}/*` };
  const items = await queryItems(
    read,
    { repo, $and: [{ $or: [{ type: "file" }, { type: "folder" }] }, { $or: [{ path }, { path: below }] }] },
    ["property"],
  );
  return items
    .filter((item) => item.path.startsWith(`${path}/`))
    .map(({ properties }) =>
      Object.fromEntries(
        [...Map.groupBy(properties, ({ key }) => key)].map(([name, pairs]) => [
          name,
          pairs.map(({ value = "" }) => value),
        ]),
      ),
    );
}

/** Returns calls that write only what differs; a name that no item has is not removed again. */
function callsFor(change: Writable<ItemProperties, Marker>): readonly CallOf<ArtifactsOperations>[] {
  const there = change.marker?.names ?? [];
  const { repo, path, recursive } = change.action === "delete" ? change.declared : change.desired;
  const wanted = change.action === "delete" ? {} : change.desired.properties;
  const live = change.action === "create" ? {} : change.live.properties;
  const changed = Object.keys(wanted).filter((name) => !sameJson(valuesOf(wanted, name), valuesOf(live, name)));
  const gone = there.filter((name) => !Object.hasOwn(wanted, name));
  const place = { repoKey: repo, path };
  const depth = { recursive: recursive ? 1 : 0 } as const;
  const set = Object.fromEntries(changed.map((name) => [name, valuesOf(wanted, name)]));
  return [
    ...(gone.length > 0 ? [call("deleteProperties", { ...place, properties: gone, ...depth }, [change])] : []),
    ...(changed.length > 0 ? [call("setProperties", { ...place, properties: set, ...depth }, [change])] : []),
  ];
}

/** Returns the values of a property as a sorted set; empty if there is no such property. */
function valuesOf(properties: Properties, name: string): string[] {
  return Object.hasOwn(properties, name) ? [...new Set(properties[name])].sort() : [];
}

function sorted(properties: Properties): Properties {
  return Object.fromEntries(Object.keys(properties).map((name) => [name, valuesOf(properties, name)]));
}
