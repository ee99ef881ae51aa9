import type { Problem } from "../../src/core/problem.ts";
import type { Report } from "../../src/core/run/outcome.ts";
import { fullPlan } from "./fixture.ts";

/** The report of an apply of the full plan, with every outcome. */
export const fullReport: Report = {
  version: 1,
  run: "2027-01-14T020011Z-7f3a",
  journal: ".setpoint/runs/2027-01-14T020011Z-7f3a.jsonl",
  plan: fullPlan,
  calls: [
    { id: 1, result: "done", duration: 212 },
    {
      id: 2,
      result: "failed",
      duration: 180,
      problem: { code: "SP3007", message: "The service refuses the request: branch is protected." },
    },
    { id: 3, result: "done", duration: 301 },
    { id: 4, result: "lost", duration: 10_000 },
    { id: 5, result: "skipped", duration: 0 },
  ],
  outcomes: [
    { address: "review/AccessRule/platform/core:refs/heads/*:push", result: "applied" },
    { address: "review/BranchLock/platform/core:release-2.4", result: "applied" },
    {
      address: "review/BranchLock/platform/ui:release-2.4",
      result: "failed",
      problem: {
        code: "SP3007",
        service: "review",
        operation: "modifyProjectAccess",
        message: "The service refuses the request: branch is protected.",
        hint: "Look at what the service says, and correct the manifest.",
      },
    },
    {
      address: "wiki/WikiPage/48213",
      result: "stale",
      problem: {
        code: "SP4003",
        address: "wiki/WikiPage/48213",
        message: "The page was changed since the plan was made.",
        hint: "Plan again.",
      },
    },
    { address: "analysis/AnalysisUser/build-bot", result: "unknown" },
    {
      address: "analysis/AnalysisRole/interns",
      result: "skipped",
      problem: {
        code: "SP4002",
        service: "analysis",
        operation: "deleteRole",
        message: "It needs analysis/AnalysisUser/build-bot, which was not applied.",
      },
    },
  ],
  requests: { analysis: { reads: 1, writes: 1 }, review: { reads: 2, writes: 2 }, wiki: { reads: 1, writes: 1 } },
};

/** Problems with and without a place. */
export const mistakes: readonly Problem[] = [
  {
    code: "SP3003",
    service: "wiki",
    operation: "getPage",
    message: "The service did not accept the credentials.",
    hint: "Set SETPOINT_WIKI_TOKEN to a valid token.",
  },
  {
    code: "SP1002",
    message: '"yes" is not a boolean: write true or false.',
    place: {
      file: "manifests/locks.yaml",
      line: 10,
      column: 14,
      length: 5,
      excerpt: ["  branch: release-2.4", '  exclusive: "yes"'],
    },
  },
  {
    code: "SP1004",
    message: 'BranchLock has no field "projekt". Did you mean "project"?',
    place: {
      file: "manifests/locks.yaml",
      line: 3,
      column: 3,
      length: 7,
      excerpt: ["spec:", "  projekt: platform/core"],
    },
  },
  {
    code: "SP1006",
    message: "review/BranchLock/platform/core:release-2.4 is declared twice.",
    hint: "Remove one of the two documents.",
    address: "review/BranchLock/platform/core:release-2.4",
    place: { file: "manifests/b.yaml", line: 1, column: 7, length: 10, excerpt: ["kind: BranchLock"] },
    other: { file: "manifests/a.yaml", line: 7, column: 7, length: 10, excerpt: ["---", "kind: BranchLock"] },
  },
];
