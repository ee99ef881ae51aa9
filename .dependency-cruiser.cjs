/** What each operation is, and what its answers are, without anything that sends. */
const tables = "^src/clients/[^/]+/(operations|records)\\.ts$";

/** Imports run one way: see ARCHITECTURE.md. What no rule allows is forbidden. */
const allowed = {
  core: [],
  manifests: ["core"],
  planner: ["core"],
  clients: ["core"],
  reports: ["core"],
  reconcilers: ["core"],
  engine: ["core", "manifests", "planner", "clients", "reports"],
  publishers: ["core", "reports"],
};

/** More files that a folder may import. */
const more = { reconcilers: ["^src/clients/"], publishers: [tables] };

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-unresolved",
      comment: "Scripts of published clients find these in a cache, where a test installs them.",
      severity: "error",
      from: { pathNot: "^test/real/clients/run_" },
      to: { couldNotResolve: true },
    },
    {
      // Files outside of test/clients share a worker, and with it what is mocked.
      name: "mocks-in-clients-only",
      severity: "error",
      from: { pathNot: "^test/clients/" },
      to: { path: "^test/support/http-mock" },
    },
    {
      name: "no-unlisted-dependencies-in-src",
      comment: "A dependency for development is bundled.",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-no-pkg"], dependencyTypesNot: ["type-only"] },
    },
    ...Object.entries(allowed).map(([folder, others]) => ({
      name: `${folder}-imports`,
      severity: "error",
      from: { path: `^src/${folder}/` },
      to: {
        path: "^src/",
        pathNot: [folder, ...others].map((name) => `^src/${name}/`).concat(more[folder] ?? []),
      },
    })),
    {
      name: "setpoint-imports",
      comment: "The composition knows everything but how it is shown, and the sandbox.",
      severity: "error",
      from: { path: "^src/(setpoint\\.ts$|road/)" },
      to: { path: "^src/(cli|sandbox|reports|publishers)/" },
    },
    {
      name: "cli-imports",
      comment:
        "The command line calls the composition and the reports, and wires nothing itself. What kinds, explain and call say is read from the tables; a secret of call goes into a file; what is compiled into a folder of the user's own; a file is replaced as the engine does it; before there is a workspace, init makes it.",
      severity: "error",
      from: { path: "^src/cli/" },
      to: {
        path: "^src/",
        pathNot: [
          "^src/(cli|core|publishers|reports|sandbox)/",
          "^src/setpoint\\.ts$",
          "^src/reconcilers/registry\\.ts$",
          "^src/clients/(credentials/(credentials|variables)|find-service|check|service)\\.ts$",
          "^src/manifests/(shape|new-workspace)/",
          "^src/engine/(doctor/examine|own-files|replace-file|queue/state|secrets/sink-file|new-workspace|schemas)\\.ts$",
        ],
      },
    },
    {
      name: "reconcilers-know-clients-as-types",
      severity: "error",
      from: { path: "^src/reconcilers/" },
      to: { path: "^src/clients/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "sandbox-imports",
      comment: "The stand-ins share the operation tables and record shapes with the clients, and nothing that sends.",
      severity: "error",
      from: { path: "^src/sandbox/" },
      to: {
        path: "^src/",
        pathNot: ["^src/sandbox/", "^src/core/", tables, "^src/clients/table\\.ts$", "^src/clients/http/path\\.ts$"],
      },
    },
    {
      name: "page-alone",
      comment: "The program of the page runs in a browser: it shares types and words, and nobody imports it.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/reports/html/app/" },
      to: { path: "^src/reports/html/app/" },
    },
    {
      name: "page-imports",
      severity: "error",
      from: { path: "^src/reports/html/app/" },
      to: {
        path: "^src/",
        pathNot: "^src/(reports/(html/(app/|page-data\\.ts$)|verdict-titles\\.ts$)|core/text/words\\.ts$)",
      },
    },
    {
      name: "one-file-knows-nock",
      severity: "error",
      from: { pathNot: "^test/support/http-mock\\.ts$" },
      to: { path: "node_modules/nock" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "default"] },
    doNotFollow: { path: "node_modules" },
  },
};
