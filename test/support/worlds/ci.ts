import fc from "fast-check";
import { declarations, optional, type Part, product } from "./parts.ts";

const properties = ["user.timezone", `a "b" \\ 'ü'`, "never.set"];
const plugins = ["git", "matrix-auth", "prometheus"];
const jobs = ["nightly", "f ü%2F/b?c", "nowhere"];
const configs = [
  "<project/>",
  "<?xml version='1.1'?>\n<project b='1' a='&quot;'>\n  <x> y &amp;\n</x><!-- z -->\n</project>",
  '<project plugin="workflow-job@1.2"><script><![CDATA[echo <ü> && "$x"\n]]></script></project>',
];
/** The only version of each plugin on the update site. */
const offered: Readonly<Record<string, string>> = {
  git: "5.7.0",
  "matrix-auth": "3.2.3",
  prometheus: "795.v995762102f28",
};

const installed = fc
  .tuple(
    ...plugins.map((shortName) =>
      optional(
        fc.record({
          shortName: fc.constant(shortName),
          longName: fc.constant(shortName),
          version: fc.constantFrom("1.0", offered[shortName] ?? ""),
          deleted: fc.constantFrom(false, false, false, true),
        }),
      ),
    ),
  )
  .map((found) => found.filter((one) => one !== undefined));

/**
 * Properties, plugins, the version and jobs of a CI server. No properties are set at the beginning, because they would be
 * gone after a restart that an apply makes.
 */
export const ci: Part = {
  world: fc
    .record({
      version: fc.constantFrom("2.479.3", "2.462.1", "2.492"),
      java: fc.constantFrom("17", "11", "1.8"),
      startProperties: fc.record(
        { [properties[0] ?? ""]: fc.constantFrom("UTC", ""), [properties[1] ?? ""]: fc.constant("$x'\\") },
        { requiredKeys: [] },
      ),
      installed,
      configs: fc.tuple(fc.constantFrom(...configs), fc.constantFrom(...configs)),
    })
    .map(({ version, java, startProperties, installed: stored, configs: live }) => ({
      ci: {
        version,
        startProperties: { ...startProperties, "java.specification.version": java },
        plugins: stored,
        updates: { plugins: offered },
        jobs: Object.fromEntries(live.map((config, index) => [jobs[index], { config }])),
      },
    })),
  declared: fc
    .tuple(
      declarations("SystemProperty", product(["name", properties]), () =>
        fc.record({ value: fc.constantFrom("UTC", "", null, `'''\n$x\\ü`) }),
      ),
      declarations(
        "Plugin",
        product(["name", plugins]),
        ({ name }) => {
          const offer = offered[String(name)] ?? "";
          return fc.record(
            { version: fc.constantFrom(offer, `>=${offer}`, ">=0.9"), restart: fc.constantFrom("safe", "none") },
            { requiredKeys: [] },
          );
        },
        ["version"],
      ),
      declarations(
        "CoreVersion",
        product(["line", ["stable"]]),
        () =>
          fc.record(
            {
              atLeast: fc.constantFrom("2.462.1", "2.479.3"),
              maxBehind: fc.nat(2),
              runtime: fc.constant("supported"),
            },
            { requiredKeys: [] },
          ),
        ["maxBehind"],
      ),
      declarations("JobConfig", product(["job", jobs]), () => fc.record({ config: fc.constantFrom(...configs) }), [
        "config",
      ]),
    )
    .map((all) => all.flat()),
  untouched: ({ ci: { setProperties, plugins: live, jobs: stored } }, isFree) => ({
    properties: Object.entries(setProperties).filter(([name]) => isFree("SystemProperty", name)),
    // A restart that the manifests cause completes earlier removals.
    plugins: live.filter(({ shortName, deleted }) => isFree("Plugin", shortName) && !deleted),
    jobs: Object.entries(stored).filter(([name]) => isFree("JobConfig", name)),
  }),
};
