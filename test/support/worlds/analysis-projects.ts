import fc from "fast-check";
import { type Declared, declarations, optional, type Part, product, some } from "./parts.ts";

/** Projects that always exist, with ids from 7 on. */
export const analysisProjects = ["P,1", "2"];

/** Projects that might exist, with ids 9 and 10. The second one can be renamed to the first. */
const coming = `n 9, ü;"\\'`;
const former = "o,10";

const modules = ["m,1", "m\\2"];
/** Names that are renamed, from the first to the second one. */
const [oldName, newName] = ["r,old", "r new"];
const patterns = ["/src/**", "a,b", "ü\\*"];
const views = ["v,1", "v ü;\"'"];
const queries = ["", "state:New", "severity:1-2 file:'a  b,c'"];
const tags = ["t,1", "t\\2", "ü"];
const codes = ["D.1", "D,2", "D:3"];
const builds = ["b1", "b,2", "b\\3", "b4"];
const statuses = ["Analyze", "Fix", "Not, a problem"];

/** What an import of the configuration brings; the world can already have some of it. */
const importSource = "https://old.example.com/x";
export const imported = ["imported;1", "imported,2"];

/** Generates one record for some combinations of a project's id and a name. */
const records = (ids: readonly string[], name: string, names: readonly string[], fields: fc.Arbitrary<object>) =>
  fc
    .tuple(
      ...product(["project", ids], [name, names]).map((identity) =>
        optional(fields.map((stored) => ({ ...identity, ...stored }))),
      ),
    )
    .map((found) => found.filter((one) => one !== undefined));

const world = fc
  .record({
    maybe: some([
      { id: "9", name: coming },
      { id: "10", name: former },
    ]),
    modules: records(
      ["7", "8", "9"],
      "name",
      [...modules, oldName, newName],
      fc.record({ allow_all: fc.boolean(), paths: some(patterns) }),
    ),
    views: records(
      ["7", "8", "9"],
      "name",
      [...views, oldName, newName],
      fc.record({ query: fc.constantFrom(...queries), tags: some(tags), is_public: fc.boolean() }),
    ),
    defectTypes: records(["7", "8"], "code", codes.slice(0, 2), fc.record({ enabled: fc.boolean() })),
    builds: records(
      ["7", "8"],
      "name",
      [...builds, newName],
      // Long ago, or long after the run.
      fc.record({ date: fc.constantFrom(0, 1_000, 4_000_000_000_000), keepit: fc.boolean() }),
    ),
    issues: records(
      ["7", "8"],
      "id",
      ["1", "2", "3"],
      fc.record({ status: fc.constantFrom(...statuses), owner: fc.constantFrom("unowned", "admin") }),
    ),
    roles: some(imported.map((name) => ({ name }))),
  })
  .map(({ maybe, ...stored }) => {
    const projects = [...analysisProjects.map((name, index) => ({ id: String(7 + index), name })), ...maybe];
    const ids = projects.map(({ id }) => id);
    const held = (all: readonly object[]) =>
      all.filter((one) => "project" in one && typeof one.project === "string" && ids.includes(one.project));
    const numbered = (all: readonly object[]) => held(all).map((one, index) => ({ ...one, id: index + 1 }));
    return {
      analysis: {
        projects,
        modules: held(stored.modules),
        views: numbered(stored.views),
        // Without a disabled one, what a list lacks counts as disabled.
        defectTypes: [
          ...held(stored.defectTypes),
          ...ids.map((project) => ({ project, code: "OFF", enabled: false })),
        ].map((one) => ({ ...one, name: "A defect", severity: 1 })),
        builds: numbered(stored.builds),
        issues: held(stored.issues).map((one) => ({
          code: "D.1",
          title: "A defect",
          severity: 1,
          file: "/a.c",
          builds: ["elsewhere"],
          ...one,
          id: "id" in one ? Number(one.id) : 0,
        })),
        roles: stored.roles,
        sources: { [importSource]: { roles: imported.map((name) => ({ name })) } },
      },
    };
  });

/** The names in every project, and one that is renamed. */
const withRenames = (projects: readonly string[], names: readonly string[]) => [
  ...product(["project", projects], ["name", names]),
  ...product(["project", projects], ["name", [newName]], ["renamedFrom", [oldName]]),
];

const modulesOf = (projects: readonly string[]) =>
  declarations(
    "AnalysisModule",
    withRenames(projects, modules),
    () => fc.record({ allowAll: fc.boolean(), paths: some(patterns) }, { requiredKeys: [] }),
    ["allowAll", "paths"],
  );

const viewsOf = (projects: readonly string[]) =>
  declarations(
    "AnalysisView",
    withRenames(projects, views),
    () =>
      fc.record({ query: fc.constantFrom(...queries), tags: some(tags), isPublic: fc.boolean() }, { requiredKeys: [] }),
    ["query", "tags", "isPublic"],
  );

const documentOf = (
  kind: string,
  spec: Readonly<Record<string, unknown>>,
  state: "present" | "absent" = "present",
): Declared => ({ kind, spec, metadata: { state } });

/** The project that can be imported or renamed, with what belongs to it. If neither is stated, it might need a person. */
const comingWithParts = fc
  .record({
    more: fc.record(
      {
        importFrom: fc.constant({ sourceUrl: "https://old.example.com/x", admin: "ü" }),
        renamedFrom: fc.constant(former),
      },
      { requiredKeys: [] },
    ),
    parts: fc.tuple(modulesOf([coming]), viewsOf([coming])),
    assignments: some([
      documentOf("AnalysisRoleAssignment", { role: "r;1", project: coming, account: "admin" }),
      documentOf("AnalysisRoleAssignment", { role: "r;1", project: coming, account: "admin" }, "absent"),
    ]),
  })
  .map(({ more, parts, assignments }) => [
    documentOf("AnalysisProject", { name: coming, ...more }),
    ...parts.flat(),
    ...assignments.slice(0, 1),
  ]);

const projects = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 4, arbitrary: comingWithParts },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom({}, { renamedFrom: former })
      .map((more) => [documentOf("AnalysisProject", { name: coming, ...more }, "absent")]),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("present" as const, "absent" as const)
      .map((state) => [documentOf("AnalysisProject", { name: former }, state)]),
  },
);

/** Only for the first project: a retention and a new name for one of its builds take two applies. */
const retention = declarations("AnalysisBuildRetention", product(["project", analysisProjects.slice(0, 1)]), () =>
  fc
    .record(
      { count: fc.integer({ min: 1, max: 3 }), maxAge: fc.constantFrom("1h", "90d"), keep: some(builds) },
      { requiredKeys: [] },
    )
    .filter(({ count, maxAge }) => count !== undefined || maxAge !== undefined),
);

const declaredBuilds = declarations(
  "AnalysisBuild",
  [
    ...product(["project", analysisProjects.slice(1)], ["name", builds.slice(0, 1)]),
    ...product(["project", analysisProjects.slice(1)], ["name", [newName]], ["renamedFrom", builds.slice(1, 2)]),
  ],
  () => fc.record({ keepIt: fc.boolean() }, { requiredKeys: [] }),
  ["keepIt"],
);

/** The issue 4 never exists. */
const issues = declarations(
  "AnalysisIssue",
  product(["project", analysisProjects], ["id", [1, 2, 4]]),
  () =>
    fc.record(
      { status: fc.constantFrom(...statuses), owner: fc.constant("admin"), comment: fc.constantFrom("ü", "b") },
      { requiredKeys: ["status"] },
    ),
  ["owner"],
);

const serverImport = declarations("AnalysisServerImport", [{ sourceUrl: importSource, admin: "ü" }], () =>
  fc.record({ brings: fc.subarray(imported, { minLength: 1 }).map((roles) => ({ roles })) }),
);

const defectTypes = declarations("AnalysisDefectType", product(["project", analysisProjects], ["code", codes]), () =>
  fc.record({ enabled: fc.boolean() }),
);

/** Projects of the analysis server with what belongs to them. No project has a defect type with one of the codes. */
export const analysisParts: Part = {
  world,
  declared: fc
    .tuple(
      projects,
      modulesOf(analysisProjects),
      viewsOf(analysisProjects),
      defectTypes,
      retention,
      declaredBuilds,
      issues,
      serverImport,
    )
    .map((all) => all.flat()),
};
