import type { PlannedCall } from "../../src/core/call.ts";
import type { Problem } from "../../src/core/problem.ts";
import { formatAddress } from "../../src/core/resource.ts";
import type { Plan, PlannedChange, UnknownResource } from "../../src/core/run/plan.ts";

/** An ordinary change. */
export function change(
  part: Pick<PlannedChange, "service" | "kind" | "key" | "action"> & Partial<PlannedChange>,
): PlannedChange {
  return {
    address: formatAddress(part.service, part.kind, part.key),
    verdict: "pending",
    fields: [],
    risks: [],
    dependsOn: [],
    phase: 0,
    ...part,
  };
}

function call(part: Pick<PlannedCall, "id" | "service" | "operation" | "lane" | "carries">): PlannedCall {
  return { args: {}, phase: 0, ...part };
}

export const emptyPlan: Plan = {
  version: 1,
  about: { command: "plan", at: "2027-01-13T12:00:00.000Z", workspace: "platform" },
  services: [],
  changes: [],
  inSync: [],
  unknown: [],
  ignored: [],
  refusals: [],
  calls: [],
  forecast: { writes: {}, verifyScopes: 0 },
  fingerprints: {},
};

const timeout: Problem = {
  code: "SP3101",
  message: "The service did not answer within 10 s.",
  hint: "See whether it is up, or raise limits.timeout.",
  service: "analysis",
  operation: "users",
};

function unknownUsers(count: number): readonly UnknownResource[] {
  return Array.from({ length: count }, (_, index) => ({
    address: `analysis/AnalysisUser/user-${index + 1}`,
    service: "analysis",
    problem: timeout,
  }));
}

const calendar = Array.from({ length: 40 }, (_, index) => `<p>Week ${index + 1}</p>`);

/** The same as `drift` shows it. */
export function asDrift(plan: Plan): Plan {
  return { ...plan, about: { ...plan.about, command: "drift" } };
}

/** A plan with every action, verdict and risk, with unknown and ignored resources, and without refusals. */
export const fullPlan: Plan = {
  ...emptyPlan,
  base: "origin/main",
  services: [
    { name: "review", role: "review", url: "https://review.example.com", reads: 2 },
    { name: "wiki", role: "wiki", url: "https://wiki.example.com", reads: 1 },
    { name: "hosting", role: "hosting", url: "https://hosting.example.com/api/v3", reads: 1 },
    { name: "analysis", role: "analysis", url: "https://analysis.example.com", reads: 4 },
  ],
  changes: [
    change({
      service: "review",
      kind: "BranchLock",
      key: "platform/core:release-2.4",
      place: { file: "manifests/locks.yaml", line: 2, column: 7 },
      action: "update",
      risks: ["narrows-access"],
      fields: [
        {
          path: ["permissions"],
          live: ["submit", "push"],
          desired: ["submit", "push", "pushMerge"],
          verdict: "pending",
        },
        { path: ["reason"], live: undefined, desired: "Frozen for 2.4 GA", verdict: "pending" },
      ],
    }),
    change({
      service: "review",
      kind: "BranchLock",
      key: "platform/ui:release-2.4",
      action: "create",
      risks: ["narrows-access"],
      fields: [
        { path: ["project"], live: undefined, desired: "platform/ui", verdict: "pending" },
        { path: ["branch"], live: undefined, desired: "release-2.4", verdict: "pending" },
        { path: ["groups"], live: undefined, desired: [], verdict: "pending" },
      ],
    }),
    change({
      service: "review",
      kind: "AccessRule",
      key: "platform/core:refs/heads/*:push",
      action: "update",
      place: { file: "manifests/rules.yaml", line: 12, column: 7 },
      verdict: "conflict",
      happened: { action: "update", risks: ["widens-access", "narrows-access"] },
      risks: ["widens-access", "narrows-access"],
      events: [
        {
          what: "configured",
          name: "project",
          by: "R. Kumar",
          at: "2027-01-13T18:04:05.000Z",
          message: "Just this once\n\nOnly until Friday.",
          commit: "c0ffee",
        },
        { what: "configured", name: "project", by: "A. Kim" },
      ],
      fields: [
        { path: ["exclusive"], live: true, desired: false, verdict: "conflict" },
        {
          path: ["rules"],
          live: [
            { group: "Administrators", action: "ALLOW", force: false },
            { group: "Release Managers", action: "ALLOW", force: true },
          ],
          desired: [
            { group: "Administrators", action: "ALLOW", force: false },
            { group: "Developers", action: "ALLOW", force: false },
            { group: "Release Managers", action: "ALLOW", force: false },
          ],
          verdict: "drift",
        },
      ],
    }),
    change({
      service: "wiki",
      kind: "WikiPage",
      key: "48213",
      action: "update",
      place: { file: "manifests/wiki.yaml", line: 2, column: 7 },
      verdict: "drift",
      happened: { action: "update", risks: [] },
      events: [{ what: "edited", by: "jdoe", at: "2027-01-13T18:04:05.000Z", version: 18 }],
      fields: [
        {
          path: ["body"],
          live: ["<table>", "  <td>2.4 GA</td><td>15 March</td>", "</table>", ...calendar].join("\n"),
          desired: ["<table>", "  <td>2.4 GA</td><td>1 March</td>", "</table>", ...calendar.slice(0, 10)].join("\n"),
          verdict: "drift",
        },
        { path: ["title"], live: "Release calender", desired: "Release calendar", verdict: "drift" },
      ],
    }),
    change({
      service: "hosting",
      kind: "HostKeys",
      key: "hosting",
      action: "check",
      verdict: "drift",
      happened: { action: "update", risks: [] },
      instruction:
        "The service presents another host key than the manifest names. Find out who changed it before anybody connects.",
      fields: [
        {
          path: ["keys", "ed25519"],
          live: `AAAAC3NzaC1lZDI1NTE5AAAAI${"Q".repeat(40)}live`,
          desired: `AAAAC3NzaC1lZDI1NTE5AAAAI${"Q".repeat(40)}stated`,
          verdict: "drift",
        },
      ],
    }),
    change({
      service: "analysis",
      kind: "AnalysisUser",
      key: "build-bot",
      action: "create",
      risks: ["widens-access", "secret-rotates"],
      fields: [
        { path: ["name"], live: undefined, desired: "build-bot", verdict: "pending" },
        { path: ["password"], live: undefined, desired: "${env:BOT_PASSWORD}", verdict: "pending" },
      ],
    }),
    change({
      service: "analysis",
      kind: "AnalysisRole",
      key: "interns",
      action: "delete",
      risks: ["irreversible", "narrows-access"],
    }),
  ],
  inSync: [
    "review/BranchLock/platform/core:release-2.3",
    ...Array.from({ length: 1213 }, (_, index) => `analysis/AnalysisGroup/team-${index + 1}`),
  ],
  ignored: [{ address: "review/BranchLock/platform/core:release-2.3", field: "groups" }],
  unknown: [
    ...unknownUsers(12),
    {
      address: "analysis/AnalysisGroup/leads",
      service: "analysis",
      problem: { code: "SP3104", message: "The list ended at its limit of 100000 without leads." },
    },
  ],
  calls: [
    call({
      id: 1,
      service: "review",
      operation: "modifyProjectAccess",
      lane: "review platform/core",
      carries: ["review/AccessRule/platform/core:refs/heads/*:push", "review/BranchLock/platform/core:release-2.4"],
    }),
    call({
      id: 2,
      service: "review",
      operation: "modifyProjectAccess",
      lane: "review platform/ui",
      carries: ["review/BranchLock/platform/ui:release-2.4"],
    }),
    call({ id: 3, service: "wiki", operation: "updatePage", lane: "wiki 48213", carries: ["wiki/WikiPage/48213"] }),
    call({
      id: 4,
      service: "analysis",
      operation: "createUser",
      lane: "analysis users",
      carries: ["analysis/AnalysisUser/build-bot"],
    }),
    call({
      id: 5,
      service: "analysis",
      operation: "deleteRole",
      lane: "analysis roles",
      carries: ["analysis/AnalysisRole/interns"],
    }),
  ],
  forecast: {
    writes: {
      "analysis.createUser": 1,
      "analysis.deleteRole": 1,
      "review.modifyProjectAccess": 2,
      "wiki.updatePage": 1,
    },
    verifyScopes: 5,
  },
  fingerprints: { "wiki 48213": "0".repeat(64) },
};

/** The calls that a complete apply would start. */
export const triggers: readonly PlannedCall[] = [
  {
    ...call({ id: 6, service: "hosting", operation: "dispatchWorkflow", lane: "hosting after", carries: [] }),
    args: { owner: "meridian-kites", repo: "website", workflowId: "publish.yml", inputs: { target: "${run.id}" } },
  },
  { ...call({ id: 7, service: "ci", operation: "buildJob", lane: "ci after", carries: [] }), args: { job: "applied" } },
];

/** A plan with what is about no change: what the manifests newly leave alone, a command that gets a secret, and triggers. */
export const planWithAsides: Plan = {
  ...emptyPlan,
  newlyAcknowledged: [
    { address: "store/Box/a", fields: ["size"], until: "2027-01-20", reason: "quiet" },
    { address: "store/Box/b", fields: ["size", "label"] },
  ],
  newlyDelivered: [
    { address: "store/Token/c", to: { command: ["curl", "-T", "-"], check: ["cat"] } },
    { address: "store/Token/d", to: { dotenv: "secrets/.env", name: "TOKEN" } },
  ],
  calls: [
    {
      ...call({ id: 1, service: "tracker", operation: "createToken", lane: "tracker", carries: [] }),
      deliver: {
        from: "rawToken",
        to: { command: ["vault", "put"], check: ["vault", "get"] },
        otherwise: { operation: "revokeToken", argument: "tokenId", from: "id" },
      },
    },
  ],
  triggers,
};

/** Refusals of a plan. */
export const refusals: readonly Problem[] = [
  {
    code: "SP2002",
    address: "analysis/AnalysisRole/interns",
    message: "analysis/AnalysisRole/interns is protected, and this plan would delete it.",
    hint: "Remove metadata.protect first, in a separate commit.",
  },
  { code: "SP2002", message: "The plan deletes 1 resource; the workspace allows 0." },
];
