import type { ArgsOf, Client, NamesOf, OperationTable } from "../core/operation.ts";
import type { Problem } from "../core/problem.ts";
import type { PublishingDoor, PublishingTo } from "../core/run/publishing.ts";
import type { JsonObject } from "../core/text/json.ts";
import type { PlannedRun } from "../reports/text/summary.ts";
import type { RunFacts } from "./run-facts.ts";

/** What there is to say about a run. */
export type News =
  | { readonly is: "started" }
  | { readonly is: "made"; readonly subject: PlannedRun }
  /** The run ended early; `problems` is empty if the reason is not known. */
  | { readonly is: "wrong"; readonly problems: readonly Problem[] };

/** The identity under which a run publishes, so that the next run of the same kind, and no other, finds and replaces its report. */
export interface Edition {
  readonly command: "plan" | "drift" | "apply";
  /** Distinguishes the workspaces and environments of one repository, such as `teams/a, production`; "" for its only one. */
  readonly name: string;
  /** The workspace's folder in its repository: "" or ending with "/". */
  readonly prefix: string;
  /** When the run began, in UTC. */
  readonly at: string;
  readonly facts: RunFacts;
}

/** A permit for a write that a table has. */
export type PermitOf<Table extends OperationTable> = {
  readonly [Name in NamesOf<Table, "write">]: { readonly operation: Name; readonly args: Partial<ArgsOf<Table, Name>> };
}[NamesOf<Table, "write">];

export interface Publisher {
  readonly to: Omit<PublishingTo, "service">;
  /** What is written, in words, such as `comment on pull request 8 of meridian-kites/website`. */
  readonly where: string;
  /** The permission that the account needs, for the hint of a refusal. */
  readonly needs: string;
  /** Publishes the news if they differ from what was published last; only a status gets that a run started. Throws `ProblemError`. */
  publish(door: PublishingDoor, news: News): Promise<void>;
}

/** The operations of a door, with the types of their table. */
export function clientOf<Table extends OperationTable>(door: Pick<PublishingDoor, "call">, table: Table): Client<Table>;
export function clientOf(door: Pick<PublishingDoor, "call">, table: OperationTable): object {
  return Object.fromEntries(Object.keys(table).map((name) => [name, (args: JsonObject) => door.call(name, args)]));
}

/** `plan`, or `plan (teams/a, production)`. */
export function runTitle({ command, name }: Pick<Edition, "command" | "name">): string {
  return name === "" ? command : `${command} (${name})`;
}

/**
 * The same news with the moment of the run replaced, to compare news of different moments. What is left of a quota changes with
 * every run: only that one does not suffice is news.
 */
export function atMoment(news: News, at: string): News {
  if (news.is !== "made") return news;
  const { subject } = news;
  const { about, forecast } = subject.plan;
  const short = Object.entries(forecast.services ?? {}).filter(
    ([, { quota }]) => quota !== undefined && quota.after < 0,
  );
  const plan = {
    ...subject.plan,
    about: { ...about, at },
    forecast: { ...forecast, services: Object.fromEntries(short) },
  };
  const report = subject.report && { ...subject.report, plan };
  return { is: "made", subject: { ...subject, plan, report } };
}
