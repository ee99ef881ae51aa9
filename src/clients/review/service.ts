import { isObject } from "../../core/text/json.ts";
import { counted } from "../../core/text/words.ts";
import { type RoleChecks, type Supported, signedInAs, versionCheck } from "../check.ts";
import { describeService } from "../service.ts";
import { joinedAccess } from "./joined-access.ts";
import { type ReviewReader, reviewOperations } from "./operations.ts";
import { reviewProtocol } from "./protocol.ts";

/** Kinds that are written as access rules of a project. */
const accessKinds: readonly string[] = ["AccessRule", "BranchLock"];

/** @see docs/decisions/versions.md: review */
export const reviewVersions: Supported = {
  since: "2.14",
  why: "the REST API can write access rules, signed in with a password",
  tried: "3.13",
};

const reviewChecks: RoleChecks<ReviewReader> = [
  {
    check: "account",
    async find(read, { username }) {
      // Only an account has changes of its own, so a request that is not signed in is refused.
      await read.queryChanges({ q: "is:open owner:self" });
      return signedInAs(username);
    },
  },
  versionCheck(reviewVersions, (read) => read.getServerVersion({})),
  {
    check: "ownership",
    async find(read, { declared }) {
      const projects = new Set(
        declared
          .filter(({ kind }) => accessKinds.includes(kind))
          .flatMap(({ spec }) => (isObject(spec) && typeof spec.project === "string" ? [spec.project] : [])),
      );
      if (projects.size === 0) return undefined;
      // Access is read by a query and written by a path, whose slash not every proxy lets through.
      const slashed = [...projects].find((project) => project.includes("/"));
      if (slashed !== undefined) await read.getProjectConfig({ projectName: slashed });
      const access = await Promise.all(
        [...projects].map(async (project) => ({ project, ...(await read.getProjectAccess({ projectName: project })) })),
      );
      const others = access.filter(({ is_owner }) => !is_owner).map(({ project }) => project);
      if (others.length === 0) return { says: `owner of ${counted(projects.size, "declared project")}` };
      const hint = "Make one of the account's groups an owner of the project, or run only plan and drift there.";
      return { says: `not an owner of ${others.join(", ")}: cannot write access rules`, wrong: { hint } };
    },
  },
];

/** The code review service (Gerrit). */
export const reviewService = describeService({
  role: "review",
  types: ["gerrit"],
  credentials: {
    accepted: [["USERNAME", "PASSWORD"]],
    source: "Settings > HTTP Credentials > Generate New Password",
  },
  protocol: reviewProtocol,
  get operations() {
    return reviewOperations;
  },
  liveLists: [{ operation: "listProjects", row: "listProjects", args: {}, naturalName: "name" }],
  checks: reviewChecks,
  proof: { product: "getServerVersion", documented: "listProjects" },
  versions: reviewVersions,
  joinReads: joinedAccess,
});
