import { type HostingOperations, hostingOperations } from "../clients/hosting/operations.ts";
import type { Report } from "../core/run/outcome.ts";
import type { Plan } from "../core/run/plan.ts";
import { countLine } from "./counts.ts";
import { clientOf, type Edition, type News, type PermitOf, type Publisher, runTitle } from "./publisher.ts";
import { missing, repositoryOf } from "./run-facts.ts";

type State = "pending" | "success" | "failure" | "error";

/** Publishes a status of the commit on the code hosting service. @see docs/decisions/publishing.md */
export function statusPublisher(edition: Edition): Publisher {
  const { facts, command } = edition;
  const repository = repositoryOf(facts);
  const context = `setpoint/${runTitle(edition)}`;
  return {
    to: {
      role: "hosting",
      writes: [{ operation: "createStatus", args: { ...repository, context } }] satisfies PermitOf<HostingOperations>[],
    },
    where: `status ${context} in ${facts.repository}`,
    needs: "write access to commit statuses (statuses: write)",
    async publish(door, news) {
      const client = clientOf(door, hostingOperations);
      const { commit, pullRequest: pullNumber } = facts;
      const asks = commit === undefined && pullNumber !== undefined;
      const sha = asks ? (await client.getPullRequest({ ...repository, pullNumber })).head.sha : commit;
      if (sha === undefined || !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha))
        throw missing("which commit", "Pass --about commit=<full SHA>, or --about pull-request=<number>.");
      const statuses = await client.listCommitStatuses({ ...repository, ref: sha });
      const last = statuses.find((status) => status.context.toLowerCase() === context.toLowerCase());
      // An earlier status of the commit stays until this run has a result.
      if (news.is === "started" && last !== undefined) return;
      const state = stateOf(news, command);
      const description = countLine(news, command);
      // Links are not compared, because every run has its own: the link of the first run with this status stays.
      if (last?.state === state && last.description === description) return;
      const link = facts.link === undefined ? {} : { target_url: facts.link };
      await client.createStatus({ ...repository, sha, state, context, description, ...link });
    },
  };
}

function stateOf(news: News, command: Edition["command"]): State {
  switch (news.is) {
    case "started":
      return "pending";
    case "wrong":
      return "error";
    case "made": {
      const { plan, report } = news.subject;
      return report === undefined ? planState(plan, command) : applyState(plan, report);
    }
  }
}

/** Changes left to do are the point of a plan; after a drift or an apply they are a failure. */
function planState({ refusals, unknown, changes }: Plan, command: Edition["command"]): State {
  if (refusals.length > 0) return "failure";
  if (unknown.length > 0) return "error";
  return command !== "plan" && changes.length > 0 ? "failure" : "success";
}

function applyState({ unknown, changes }: Plan, { outcomes, triggers = [], problems = [] }: Report): State {
  const results = new Set<string>([...outcomes, ...triggers].map(({ result }) => result));
  if (problems.length > 0) return "error";
  if (["failed", "stale", "lost"].some((result) => results.has(result))) return "failure";
  if (unknown.length > 0 || results.has("skipped") || results.has("unknown")) return "error";
  return changes.some(({ action }) => action === "check") ? "failure" : "success";
}
