import { type Problem, problemsOf } from "../core/problem.ts";
import type { PublishingDoor, PublishingTo } from "../core/run/publishing.ts";
import { commentPublisher } from "./comment.ts";
import type { Edition, News, Publisher } from "./publisher.ts";
import { reviewPublisher } from "./review.ts";
import { statusPublisher } from "./status.ts";
import { wikiPublisher } from "./wiki.ts";

/** A way to publish, as named on the command line. */
export interface PublishTarget {
  readonly as: "status" | "comment" | "review" | "wiki";
  /** The service's name, if the workspace has several that it could be. */
  readonly service?: string | undefined;
  /** The page of the wiki. */
  readonly page?: string;
}

export interface PublishInput {
  /** Opens a connection that can write only what is permitted: the workspace's `publishing`. */
  readonly open: <T>(to: PublishingTo, use: (door: PublishingDoor) => Promise<T>) => Promise<T>;
  readonly edition: Edition;
  /** Called for every target that has the news, with its name in words. */
  readonly onPublished?: (where: string) => void;
}

/** Publishes to every target, one after the other, and returns the problems. A target that fails does not stop the others. */
export async function publishAll(
  targets: readonly PublishTarget[],
  news: News,
  options: PublishInput,
): Promise<readonly Problem[]> {
  const published: Problem[] = [];
  for (const target of targets) {
    const problems = await problemsWith(target, news, options);
    published.push(...problems.map((one) => ({ ...one, message: `Not published as ${target.as}. ${one.message}` })));
  }
  return published;
}

async function problemsWith(target: PublishTarget, news: News, options: PublishInput): Promise<readonly Problem[]> {
  try {
    const { as, service, page = "" } = target;
    const publisher = publishers[as](options.edition, page);
    return await options.open({ ...publisher.to, service }, async (door) => {
      try {
        await publisher.publish(door, news);
        options.onPublished?.(publisher.where);
        return [];
      } catch (error) {
        return problemsOf(error).map((problem) => hinted(problem, publisher));
      }
    });
  } catch (error) {
    return problemsOf(error);
  }
}

/**
 * Adds the needed permission to the hint of a refusal: services hide what an account may not see, and do not say what it lacks.
 * Some say why no permission would help, so the hint stays.
 */
function hinted(problem: Problem, { needs, to }: Publisher): Problem {
  if (problem.code === "SP3105") return { ...problem, hint: "See whether it is there. The next run publishes again." };
  if (problem.code === "SP3006" && to.role !== "hosting") return { ...problem, hint: "The next run publishes again." };
  if (problem.code !== "SP3004" && problem.code !== "SP3005") return problem;
  const need = `The account needs ${needs}, and must see what it writes to.`;
  return { ...problem, hint: problem.hint === undefined ? need : `${problem.hint} ${need}` };
}

const publishers: Readonly<Record<PublishTarget["as"], (edition: Edition, page: string) => Publisher>> = {
  status: statusPublisher,
  comment: commentPublisher,
  review: reviewPublisher,
  wiki: wikiPublisher,
};
