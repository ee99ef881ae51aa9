import type { JsonObject } from "../../core/text/json.ts";
import { type Account, isAdmin } from "../accounts.ts";
import { viewAccount, viewTime } from "./account-view.ts";
import type { ReviewChange } from "./change-state.ts";

/** The stand-in's only label, which every real server has by default. */
export const codeReview = "Code-Review";

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

/** Returns the labels of a change with their votes, and accounts with names if `detailed`. The worst of mixed votes counts. */
export function viewLabels(accounts: readonly Account[], { votes }: ReviewChange, detailed: boolean): JsonObject {
  const by = (test: (value: number) => boolean) => {
    const vote = votes.find(({ value }) => test(value));
    return vote === undefined
      ? undefined
      : { account: viewAccount(accounts, vote.account, detailed), value: vote.value };
  };
  const rejected = by((value) => value === -2);
  const approved = by((value) => value === 2);
  const disliked = by((value) => value === -1);
  const recommended = disliked === undefined ? by((value) => value === 1) : undefined;
  const decided = rejected ?? approved;
  const leaning = decided === undefined ? (disliked ?? recommended) : undefined;
  const all = votes.map(({ account, value, date, tag }) => ({
    tag,
    value,
    date: viewTime(date),
    permitted_voting_range: votingRange(accounts.find(({ username }) => username === account)),
    ...viewAccount(accounts, account, detailed),
  }));
  return {
    [codeReview]: {
      rejected: rejected?.account,
      approved: rejected === undefined ? approved?.account : undefined,
      disliked: decided === undefined ? disliked?.account : undefined,
      recommended: decided === undefined ? recommended?.account : undefined,
      blocking: rejected === undefined ? undefined : true,
      all: all.length > 0 ? all : undefined,
      values: meanings,
      description: "",
      value: leaning?.value,
      default_value: 0,
    },
  };
}

/** Returns a record of whether the change's votes allow it to be submitted. */
export function viewSubmitRecord(accounts: readonly Account[], { votes }: ReviewChange, detailed: boolean) {
  const rejecting = votes.find(({ value }) => value === -2);
  const approving = votes.find(({ value }) => value === 2);
  const decisive = rejecting ?? approving;
  const status = rejecting !== undefined ? "REJECT" : approving !== undefined ? "OK" : "NEED";
  const applied_by = decisive === undefined ? undefined : viewAccount(accounts, decisive.account, detailed);
  return {
    rule_name: "gerrit~DefaultSubmitRule",
    status: status === "OK" ? "OK" : "NOT_READY",
    labels: [{ label: codeReview, status, applied_by }],
  };
}
