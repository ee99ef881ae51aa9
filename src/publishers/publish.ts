import { type Problem, problemsOf } from "../core/problem.ts";
import type { PublishingDoor, PublishingTo } from "../core/publishing.ts";
import { commentPublisher } from "./comment.ts";
import type { Edition, News, Publisher } from "./publisher.ts";
import { reviewPublisher } from "./review.ts";
import { statusPublisher } from "./status.ts";
import { wikiPublisher } from "./wiki.ts";

/** A way to publish as the command line names it. */
export interface PublishTarget {
  readonly as: "status" | "comment" | "review" | "wiki";
  /** The service's name, if the workspace has several that it could be. */
  readonly service?: string;
  /** Of the wiki. */
  readonly page?: string;
}

/** Opens a connection that writes what is permitted and nothing else: the composition's `publishing`. */
type Open = <T>(to: PublishingTo, use: (door: PublishingDoor) => Promise<T>) => Promise<T>;

export interface PublishOptions {
  readonly open: Open;
  readonly edition: Edition;
}

/**
 * Publishes in every way that was asked for, one after the other, and returns what went wrong; a way that fails keeps no other
 * from its turn.
 */
export async function publishAll(
  targets: readonly PublishTarget[],
  news: News,
  options: PublishOptions,
): Promise<readonly Problem[]> {
  const published: Problem[] = [];
  for (const target of targets) {
    const problems = await problemsWith(target, news, options);
    published.push(...problems.map((one) => ({ ...one, message: `Not published as ${target.as}: ${one.message}` })));
  }
  return published;
}

async function problemsWith(target: PublishTarget, news: News, options: PublishOptions): Promise<readonly Problem[]> {
  try {
    const publisher = publisherOf(target, options);
    return await options.open(publisher.to, async (door) => {
      try {
        await publisher.publish(door, news);
        return [];
      } catch (error) {
        return problemsOf(error).map((problem) => hinted(problem, publisher));
      }
    });
  } catch (error) {
    return problemsOf(error);
  }
}

/** Services hide what an account may not see, and refuse without a word what is missing. */
function hinted(problem: Problem, { needs }: Publisher): Problem {
  if (problem.code !== "SP3004" && problem.code !== "SP3005") return problem;
  return { ...problem, hint: `The account needs ${needs}, and must see what it writes to.` };
}

function publisherOf({ as, service, page = "" }: PublishTarget, { edition }: PublishOptions): Publisher {
  switch (as) {
    case "status":
      return statusPublisher(edition, service);
    case "comment":
      return commentPublisher(edition, service);
    case "review":
      return reviewPublisher(edition, service);
    case "wiki":
      return wikiPublisher(edition, service, page);
  }
}
