import fc from "fast-check";
import { type Declared, declarations, optional, type Part, product, some } from "./parts.ts";

const rotated = ["r/ü 1", 'r%2F"?#'];
const released = "p,+ü;/";
const numbers = ["1", "2", "50%/ü"];
const repositories = ["jars-a", "jars-b", "docker-a", "docker-b"];
const images = ["team/ü app", "one"];
const tags = ["1", "2.0-β"];

const created = "2001-01-01T00:00:00.000Z";
const item = { created, modified: created, file: { size: 0, sha1: "", sha256: "" } };

const promotion = { status: "staged", timestamp: created, user: "admin" };

/** Generates builds, one per year, and promotes some of them. */
const buildsOf = (made: (number: string) => readonly string[]) =>
  fc.tuple(some(numbers), some(numbers)).map(([live, promoted]) =>
    Object.fromEntries(
      live.map((number, index) => [
        number,
        {
          started: `200${index}-06-01T12:00:00.000Z`,
          artifacts: made(number),
          statuses: promoted.includes(number) ? [promotion] : [],
        },
      ]),
    ),
  );

const jarOf = (number: string) => `jars-a/made/${encodeURIComponent(number)}.jar`;
const manifests = ["docker-a", "docker-b"].flatMap((repository) =>
  images.flatMap((image) => tags.map((tag) => `${repository}/${image}/${tag}/manifest.json`)),
);

const rules = fc
  .record({
    count: optional(fc.integer({ min: 1, max: 3 })),
    age: fc.constantFrom(
      {},
      { maxAge: "1d" },
      { maxAge: "9999w" },
      { minimumBuildDate: "2001-06-01" },
      { minimumBuildDate: "2001-06-01T14:00:00.001+02:00" },
    ),
    rest: fc.record({ keep: some(numbers), deleteArtifacts: fc.boolean(), async: fc.boolean() }, { requiredKeys: [] }),
  })
  .map(({ count, age, rest }) => ({
    ...(count === undefined && Object.keys(age).length === 0 ? { count: 2 } : {}),
    ...(count === undefined ? {} : { count }),
    ...age,
    ...rest,
  }));

const layouts = fc.record(
  {
    type: fc.constantFrom("LOCAL", "REMOTE", "VIRTUAL"),
    defaultDeploymentRepo: fc.constantFrom("jars-a", "jars-b"),
  },
  { requiredKeys: [] },
);

const promotions = fc.record(
  {
    status: fc.constantFrom("staged", "ü released"),
    targetRepo: fc.constantFrom("jars-a", "jars-b"),
    copy: fc.boolean(),
    artifacts: fc.boolean(),
    properties: fc.constant({ "release.state": ["a,b", "ü"] }),
    dryRun: fc.boolean(),
  },
  { requiredKeys: ["status"] },
);

/** Rotated builds, promoted builds and images, and their repositories. */
export const artifactsBuilds: Part = {
  world: fc
    .record({
      first: buildsOf(() => []),
      second: buildsOf(() => []),
      released: buildsOf((number) => [jarOf(number)]),
      manifests: some(manifests),
    })
    .map((stored) => ({
      artifacts: {
        repositories: [
          ...repositories.map((key) => ({ key, type: "LOCAL" })),
          { key: "jars", type: "VIRTUAL", defaultDeploymentRepo: "jars-a", members: ["jars-a", "jars-b"] },
        ],
        items: Object.fromEntries([...numbers.map(jarOf), ...stored.manifests].map((key) => [key, item])),
        builds: { [rotated[0] ?? ""]: stored.first, [rotated[1] ?? ""]: stored.second, [released]: stored.released },
      },
    })),
  declared: fc
    .tuple(
      declarations("BuildRetention", product(["build", [...rotated, "none"]]), () => rules, ["keep"]),
      declarations("BuildPromotion", product(["build", [released]], ["number", numbers]), () => promotions, [
        "targetRepo",
      ]),
      declarations(
        "ImagePromotion",
        product(["sourceRepo", ["docker-a"]], ["image", images], ["tag", tags], ["targetRepo", ["docker-b"]]),
        () => fc.record({ copy: fc.boolean() }, { requiredKeys: [] }),
      ),
      declarations("RepositoryLayout", product(["key", [...repositories, "jars", "nowhere"]]), () => layouts, ["type"]),
    )
    .map((all): readonly Declared[] => all.flat()),
};
