import fc from "fast-check";
import type { World } from "../../../src/sandbox/world.ts";
import { folder, stored } from "./artifacts-fixture.ts";
import { type Declared, declarations, optional, type Part, product, some } from "./parts.ts";

/** Paths of items. Each kind has its own repository, so that no kind undoes what another does to an item. */
const annotated = ["a b+ü;%2F,=<'>.jar", "d", "nowhere/x"];
const deployed = ["app/a (1).xml", "b#&.xml"];
const exploded = ["site ü"];
const rubbish = ["1.tmp", "nightly/2.tmp", "nightly/x/3.tmp", "nightly/ü&.log", "stays.txt"];
const names = ["k.1", "aü:1"];
const values = ["a,b", "c|\\d", "e=f", '%7C ü"&'];

const longAgo = (index: number) => `2020-01-0${index + 1}T00:00:00.000Z`;

const properties = fc
  .tuple(...[...names, "foreign"].map((name) => some(values).map((list) => [name, list] as const)))
  .map((pairs) => Object.fromEntries(pairs.filter(([, list]) => list.length > 0)));

/** Generates values for some of the paths of a repository. */
function itemsOf<Value>(
  repository: string,
  paths: readonly string[],
  value: (path: string, index: number) => fc.Arbitrary<Value>,
) {
  return fc
    .tuple(
      ...paths.map((path, index) =>
        optional(value(path, index).map((item) => [`${repository}/${path}`, item] as const)),
      ),
    )
    .map((entries) => Object.fromEntries(entries.filter((entry) => entry !== undefined)));
}

const items = fc
  .tuple(
    itemsOf("props", ["a b+ü;%2F,=<'>.jar", "d/1", "d/e/2", "other"], (path) =>
      properties.map((own) => stored(path, own)),
    ),
    itemsOf("files", deployed, () => fc.constantFrom("live", "other").map((text) => stored(text))),
    itemsOf("files", exploded, () =>
      fc.boolean().map((marked) => folder(marked ? { "setpoint.archive.sha256": ["0"] } : {})),
    ),
    itemsOf("rubbish", rubbish, (path, index) => fc.constant(stored(path, {}, longAgo(index)))),
    itemsOf("auto-trashcan/gone", ["a", "b/c ü"], (path) => fc.constant(stored(path))),
    itemsOf("auto-trashcan/kept", ["a", "b/c ü"], (path) => fc.constant(stored(path))),
  )
  .map((all) => Object.assign({}, ...all));

const wished = fc
  .tuple(...names.map((name) => optional(fc.subarray(values, { minLength: 1 }).map((list) => [name, list] as const))))
  .map((pairs) => Object.fromEntries(pairs.filter((pair) => pair !== undefined)))
  .filter((set) => Object.keys(set).length > 0);

/** Properties, files, cleanup rules, and the trash. */
export const artifactItems: Part = {
  world: items.map((all) => ({
    artifacts: {
      repositories: ["props", "files", "rubbish"].map((key) => ({ key, type: "LOCAL" as const })),
      items: all,
    },
  })),
  declared: fc
    .tuple(
      declarations(
        "ItemProperties",
        product(["repo", ["props"]], ["path", annotated]),
        ({ path }) => fc.record({ properties: wished, exclusive: fc.boolean(), recursive: fc.constant(path === "d") }),
        ["properties"],
      ),
      declarations("DeployedFile", product(["repo", ["files"]], ["path", deployed]), () =>
        fc.record({ source: fc.constantFrom("files/build-settings.xml", "files/release-calendar.md") }),
      ),
      declarations("DeployedFile", product(["repo", ["files"]], ["path", exploded]), () =>
        fc.record({ archive: fc.constant("files/site.tar.gz"), atomic: fc.boolean() }),
      ),
      declarations("Cleanup", product(["repo", ["rubbish"]], ["pathPattern", ["*.tmp", "nightly/*"]]), () =>
        fc.oneof(
          fc.record({ olderThan: fc.constantFrom("4w", "9999w"), atMost: fc.constantFrom(1, 20) }),
          fc.record({ keepNewest: fc.constantFrom(1, 2) }),
        ),
      ),
      // The trash keeps what deletions of the same apply leave there.
      declarations("TrashCan", [{}], () =>
        fc.record({ keep: fc.constantFrom(["kept*", "files", "rubbish", "artifactory-build-info", "*-local"]) }),
      ),
    )
    .map((all) => all.flat()),
};

/** Returns the stored items without what manifests name: by key, each item's file and properties. */
export function untouchedItems(world: World, declared: readonly Declared[]) {
  const specs = (kind: string) => declared.filter((one) => one.kind === kind).map(({ spec }) => spec);
  const files = new Set(specs("DeployedFile").map(({ repo, path }) => `${repo}/${path}`));
  const isDeployed = (key: string) => [...files].some((file) => key === file || key.startsWith(`${file}/`));
  const isManaged = (key: string, name: string) =>
    specs("ItemProperties").some(
      ({ repo, path, properties: own, exclusive, recursive }) =>
        (key === `${repo}/${path}` || (recursive === true && key.startsWith(`${repo}/${path}/`))) &&
        (exclusive === true || Object.hasOwn(Object(own), name)),
    );
  const isRubbish = (key: string) => /^rubbish\/(.*\.tmp|nightly\/.*)$/.test(key) && specs("Cleanup").length > 0;
  const isTrash = (key: string) => key.startsWith("auto-trashcan") && !key.startsWith("auto-trashcan/kept");
  // Promoted items move with the builds and images that manifests name.
  const isPromoted = (key: string) => /^(jars|docker)-[ab]\//.test(key);
  return Object.entries(world.artifacts.items)
    .filter(
      ([key, { file }]) =>
        file !== undefined && !isDeployed(key) && !isRubbish(key) && !isTrash(key) && !isPromoted(key),
    )
    .map(([key, item]) => ({
      key,
      ...item,
      properties: Object.entries(item.properties).filter(([name]) => !isManaged(key, name)),
    }));
}
