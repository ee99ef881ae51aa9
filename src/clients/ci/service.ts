import { z } from "zod";
import { type CallOf, callOf } from "../../core/call.ts";
import { once } from "../../core/once.ts";
import { unlessMissing } from "../../core/problem.ts";
import type { Trigger } from "../../core/trigger.ts";
import { type RoleChecks, type Supported, signedInAs, versionCheck } from "../check.ts";
import { describeService } from "../service.ts";
import { type CiOperations, type CiReader, ciOperations } from "./operations.ts";
import { ciProtocol } from "./protocol.ts";
import { restartAndAwait } from "./restart.ts";

/** @see docs/decisions/versions.md: `Jenkins.get()`, which the scripts use */
const ciVersions: Supported = { since: "2.98", why: "scripts can look up the server by the name that setpoint uses" };

const ciChecks: RoleChecks<CiReader> = [
  {
    check: "account",
    async find(read, { username, wire }) {
      // A server without a crumb issuer says so, but only to a user who is signed in.
      await (wire === "product" ? read.getVersion({}) : unlessMissing(read.getCrumb({})));
      return signedInAs(username);
    },
  },
  versionCheck(ciVersions, async (read) => (await read.getVersion({})).version),
  {
    check: "newest",
    optional: true,
    find: async (read) => ({ says: `${await read.getLatestStableCore({})} is the newest stable version` }),
  },
];

const job = once(() =>
  z.strictObject({
    name: z.string().min(1).describe("The job, with its folders: `folder/job`."),
    parameters: ciOperations.buildJobWithParameters.args.shape.parameters
      .optional()
      .describe("The job's parameters, by name; those left out get their defaults."),
  }),
);
const call = callOf<CiOperations>();

const startJob: Trigger<z.infer<ReturnType<typeof job>>, CallOf<CiOperations>> = {
  summary: "Starts a job, without waiting for its end.",
  get spec() {
    return job();
  },
  call: ({ name, parameters }) =>
    parameters === undefined
      ? call("buildJob", { job: name }, [])
      : call("buildJobWithParameters", { job: name, parameters }, []),
};

/** The CI server (Jenkins). */
export const ciService = describeService({
  role: "ci",
  types: ["jenkins"],
  roots: {
    updates: { description: "of a CI server's update site", default: () => "https://updates.jenkins.io" },
  },
  credentials: {
    accepted: [
      ["USERNAME", "TOKEN"],
      ["USERNAME", "PASSWORD"],
    ],
    source: "the menu of your name > Security > API Token > Add new Token",
  },
  protocol: ciProtocol,
  get operations() {
    return ciOperations;
  },
  triggers: { job: startJob },
  checks: ciChecks,
  proof: { product: "getVersion", documented: "listPlugins" },
  versions: ciVersions,
  awaited: { restart: restartAndAwait, safeRestart: restartAndAwait },
});
