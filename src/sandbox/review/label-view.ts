import type { JsonObject } from "../../core/text/json.ts";
import { type Account, isAdmin } from "../accounts.ts";
import { viewAccount, viewTime } from "./account-view.ts";
import type { ReviewChange } from "./change-state.ts";

/** The stand-in's only label, which every real server has by default. */
export const codeReview = "Code-Review";

/** The vote that blocks a change. */
export const veto = -2;

const meanings = {
  "-2": "This shall not be submitted",
  "-1": "I would prefer this is not submitted as is",
  " 0": "No score",
  "+1": "Looks good to me, but someone else must approve",
  "+2": "Looks good to me, approved",
} as const;

/** Returns the range in which an account may vote: the whole range for administrators, one step for the others. */
export function votingRange(account: Account | undefined): { readonly min: number; readonly max: number } {
  return isAdmin(account) ? { min: -2, max: 2 } : { min: -1, max: 1 };
}

/** Returns the votes that an account may cast, in the service's format. */
export function permittedVotes(account: Account): readonly string[] {
  const { min, max } = votingRange(account);
  return Object.keys(meanings).filter((vote) => Number(vote) >= min && Number(vote) <= max);
}

/** What votes mean, and whether they allow a change to be submitted: of mixed votes, the first one here counts. */
const decisions = [
  { value: veto, is: "rejected", status: "REJECT" },
  { value: 2, is: "approved", status: "OK" },
  { value: -1, is: "disliked", status: "NEED" },
  { value: 1, is: "recommended", status: "NEED" },
] as const;

function countingVote(votes: ReviewChange["votes"]) {
  return decisions.flatMap((decision) => {
    const vote = votes.find(({ value }) => value === decision.value);
    return vote === undefined ? [] : [{ ...decision, account: vote.account }];
  })[0];
}

/** Returns the labels of a change with their votes, and accounts with names if `detailed`. */
export function viewLabels(accounts: readonly Account[], { votes }: ReviewChange, detailed: boolean): JsonObject {
  const counting = countingVote(votes);
  const all = votes.map(({ account, value, date, tag }) => ({
    tag,
    value,
    date: viewTime(date),
    permitted_voting_range: votingRange(accounts.find(({ username }) => username === account)),
    ...viewAccount(accounts, account, detailed),
  }));
  return {
    [codeReview]: {
      ...(counting && { [counting.is]: viewAccount(accounts, counting.account, detailed) }),
      blocking: counting?.value === veto || undefined,
      all: all.length > 0 ? all : undefined,
      values: meanings,
      description: "",
      value: counting?.status === "NEED" ? counting.value : undefined,
      default_value: 0,
    },
  };
}

/** Returns a record of whether the change's votes allow it to be submitted. */
export function viewSubmitRecord(accounts: readonly Account[], { votes }: ReviewChange, detailed: boolean) {
  const { status, account } = countingVote(votes) ?? { status: "NEED", account: "" };
  const applied_by = status === "NEED" ? undefined : viewAccount(accounts, account, detailed);
  return {
    rule_name: "gerrit~DefaultSubmitRule",
    status: status === "OK" ? "OK" : "NOT_READY",
    labels: [{ label: codeReview, status, applied_by }],
  };
}
