import type { Environment } from "../../clients/credentials/credentials.ts";
import { ProblemError } from "../../core/problem.ts";
import { hasUserInfo } from "../../core/text/url-secret.ts";

/** The URL of the queue, and how the URL is shown. */
export interface QueuePlace {
  readonly url: string;
  readonly shown: string;
}

const variable = "SETPOINT_QUEUE";

/**
 * Returns the place of the queue that the command line names, or else the environment. Throws `ProblemError`: SP5001 if it is not
 * a URL of Redis; SP1015 for a URL with a password on the command line, which every process of the machine can read.
 */
export function queuePlace(given: string | undefined, env: Environment): QueuePlace {
  const url = given ?? env[variable];
  if (url === undefined || url === "")
    throw new ProblemError({
      code: "SP5001",
      message: `--queue has no URL, and ${variable} is not set.`,
      hint: `Pass --queue redis://host:6379, or set ${variable}.`,
    });
  if (given !== undefined && hasUserInfo(given))
    throw new ProblemError({
      code: "SP1015",
      message: "The URL of the queue has a user or a password, and everyone on the machine can see the command line.",
      hint: `Set ${variable} to the URL in the environment, and pass --queue without one.`,
    });
  const parsed = URL.parse(url);
  // The client would take options such as a password from a query.
  const isPlain = parsed !== null && parsed.hostname !== "" && parsed.search === "" && parsed.hash === "";
  if (!isPlain || !/^rediss?:$/.test(parsed.protocol) || !/^(\/\d{0,4})?$/.test(parsed.pathname))
    throw new ProblemError({
      code: "SP5001",
      message: `${given === undefined ? variable : "--queue"} is not a Redis URL.`,
      hint: "Expected redis://host:port or rediss://host:port, optionally with the number of a database; @, : and / in a password must be written as %40, %3A and %2F.",
    });
  return { url, shown: `${parsed.protocol}//${parsed.host}${parsed.pathname}` };
}
