import { type Command, InvalidArgumentError } from "commander";
import type { PublishTarget } from "../publishers/publish.ts";
import { wholeNumber } from "./options.ts";

/** Options that say where a run's result is published, and what it is about. */
export interface PublishOptions {
  readonly publish: readonly PublishTarget[];
  readonly repository?: string;
  readonly commit?: string;
  readonly pullRequest?: number;
  readonly change?: number;
  readonly revision?: string;
  readonly link?: string;
  readonly commentAuthor?: string;
}

export function addPublishOptions(command: Command): Command {
  return command
    .option(
      "--publish <where>",
      "also publish the result as status, comment, review or wiki=<page id>; status=<name> names the service if there are several (repeatable)",
      addTarget,
      [],
    )
    .option(
      "--repository <owner/name>",
      "the repository of a status or comment, if the CI server does not say",
      repository,
    )
    .option("--commit <sha>", "the commit of a status, if the CI server does not say", commit)
    .option(
      "--pull-request <number>",
      "the pull request of a status or comment, if the CI server does not say",
      wholeNumber,
    )
    .option("--change <number>", "the change of a review, if the CI server does not say", wholeNumber)
    .option("--revision <patch set>", "its patch set, as number or commit (default: the current one)")
    .option("--link <url>", "where to read more, if the CI server does not say", link)
    .option("--comment-author <login>", "the account that comments, if its token may not ask who it is");
}

/** Reads `status`, `comment=<service>`, `wiki=<page id>` or `wiki=<service>/<page id>`. */
function addTarget(text: string, before: readonly PublishTarget[]): readonly PublishTarget[] {
  const [, as = "", value] = /^([^=]*)(?:=(.+))?$/s.exec(text) ?? [];
  switch (as) {
    case "status":
    case "comment":
    case "review":
      return [...before, { as, ...(value === undefined ? {} : { service: value }) }];
    case "wiki": {
      const [, service, page] = /^(?:([^/]+)\/)?([1-9]\d*)$/.exec(value ?? "") ?? [];
      if (page === undefined) throw new InvalidArgumentError("Expected wiki=<page id>, such as wiki=48213.");
      return [...before, { as, page, ...(service === undefined ? {} : { service }) }];
    }
    default:
      throw new InvalidArgumentError("Expected status, comment, review or wiki=<page id>.");
  }
}

function repository(text: string): string {
  if (/^[^/\s]+\/[^/\s]+$/.test(text)) return text;
  throw new InvalidArgumentError("Expected owner/name.");
}

function commit(text: string): string {
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return text;
  throw new InvalidArgumentError("Expected the whole SHA of a commit, in lower case.");
}

function link(text: string): string {
  if (/^https?:\/\/\S+$/.test(text)) return text;
  throw new InvalidArgumentError("Expected an http or https URL.");
}
