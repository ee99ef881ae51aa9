import type { Reply, ServiceRequest, StandIn } from "./exchange.ts";
import { Refusal } from "./refusal.ts";
import { type Match, matchRoute } from "./route.ts";
import type { World } from "./world.ts";

/** What a service answered, the row it answered for, and the world after it. */
export interface Served {
  readonly reply: Reply;
  readonly match: Match | undefined;
  readonly world: World;
}

/**
 * Answers one request to one service. Pure: the world is replaced as a whole or, where the service refuses, not at all.
 */
export function serve(standIn: StandIn, world: World, request: ServiceRequest): Served {
  let match: Match | undefined;
  try {
    const account = standIn.identify(world, request);
    const path = standIn.plusIsSpace ? request.path.replaceAll("+", "%20") : request.path;
    match = matchRoute(standIn.routes, { ...request, path });
    if (request.content.bytes === undefined && match.operation.body !== "file") throw new Refusal(413);
    const answer = standIn.answers[match.name];
    if (answer === undefined) throw new Refusal(404);
    const answered = answer(world, { ...request, params: match.params, account });
    const after = answered.world ?? world;
    return { reply: standIn.encode(after, answered, request), match, world: after };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { reply: standIn.refuse(world, error, request), match, world };
  }
}
