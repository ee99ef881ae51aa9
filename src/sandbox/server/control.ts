import { ProblemError } from "../../core/problem.ts";
import type { Reply } from "../exchange.ts";
import { parseWorld } from "../world.ts";
import type { Recorder } from "./record.ts";
import type { WorldStore } from "./world-store.ts";

/**
 * Answers the sandbox's own paths, which no service has and which are not recorded: `requests` (GET, DELETE to empty) and
 * `state` (GET, PUT a whole world: 204, or 400 with its problems).
 */
export function control(method: string, path: string, body: string, recorder: Recorder, store: WorldStore): Reply {
  switch (`${method} ${path}`) {
    case "GET /_sandbox/requests":
      return json(200, recorder.list());
    case "DELETE /_sandbox/requests":
      recorder.clear();
      return { status: 204, headers: {}, body: "" };
    case "GET /_sandbox/state":
      return json(200, store.get());
    case "PUT /_sandbox/state":
      return putState(body, store);
    default:
      return json(404, { message: `The sandbox has no ${method} ${path}` });
  }
}

function putState(body: string, store: WorldStore): Reply {
  try {
    store.set(parseWorld(body, "body"));
    return { status: 204, headers: {}, body: "" };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return json(400, { problems: error.problems });
  }
}

function json(status: number, value: unknown): Reply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}
