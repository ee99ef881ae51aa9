import { tlsHint } from "../../clients/http/connections/tls-problem.ts";
import type { Problem } from "../../core/problem.ts";

/** Why a queue cannot be used. */
export interface Trouble {
  /** A code or a word of Redis, never what was sent. */
  readonly reason: string;
  /** Whether Redis has answered. */
  readonly isAnswer: boolean;
}

const server = "A queue needs one server, or the primary of several, that evicts nothing: see docs/queue.md.";

/** Hints by reason. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/^(NOAUTH|WRONGPASS)$/, "Set SETPOINT_QUEUE to its URL with user and password, and pass --queue without one."],
  [/^NOPERM$/, "Give the user in the URL access to the keys and commands in docs/queue.md."],
  [/^(OOM|MISCONF)$/, "Redis has run out of memory or disk space: see its log."],
  [/^not ready/, "Redis may be loading a large file: see its log. Try again when it is ready."],
  [/^(READONLY|UNBLOCKED|MASTERDOWN|MOVED|ASK|CROSSSLOT|CLUSTERDOWN)$|^its? (?!has)/, server],
  [
    /^(DENIED|ECONNRESET|EPIPE|ETIMEDOUT|EPROTO|ERR_SSL_.*|no connection|silent .*)$/,
    "Check the URL: rediss: is for a port with TLS, redis: for one without. Also check that Redis is running and accepts this machine: see its protected-mode, maxclients and tls-auth-clients.",
  ],
];

/** Returns the problem SP5008 for trouble with a queue; `shown` is how messages name the queue. */
export function troubled(shown: string, { reason, isAnswer }: Trouble): Problem & { readonly hint: string } {
  const message = `The queue at ${shown} ${isAnswer ? "cannot be used" : "does not answer"} (${reason}).`;
  const remedy = remedies.find(([pattern]) => pattern.test(reason))?.[1];
  return { code: "SP5008", message, hint: remedy ?? tlsHint(reason) ?? "Check the URL, and that Redis is running." };
}

/** Returns the trouble behind an error, with only the error's code or Redis's own word: the rest may contain what was sent. */
export function troubleOf(error: Error): Trouble {
  if ("code" in error && typeof error.code === "string") return { reason: error.code, isAnswer: false };
  if (/^ERR .*\bDB index\b/.test(error.message)) return { reason: "it has no such database", isAnswer: true };
  if (error.message.startsWith("Socket timeout")) return { reason: "silent for 15 s", isAnswer: false };
  const word = /^[A-Z]{3,}/.exec(error.message)?.[0];
  return { reason: word ?? (error.name === "Error" ? "no connection" : error.name), isAnswer: word !== undefined };
}

/** Returns why a server cannot hold a queue, according to its INFO; undefined if it can. */
export function unfitness(info: string): string | undefined {
  const said = new Map(info.split(/\r?\n/).map((line) => [line.split(":", 1)[0], line.slice(line.indexOf(":") + 1)]));
  const version = said.get("redis_version");
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  if (version !== undefined && (major < 6 || (major === 6 && minor < 2)))
    return `it is Redis ${version}, and 6.2 is needed`;
  // Valkey reports its mode under another name.
  if (said.get("cluster_enabled") === "1") return "it is a cluster";
  if (said.has("sentinel_masters")) return "it is a Sentinel";
  if (said.get("role") === "slave") return "it is a replica";
  const policy = said.get("maxmemory_policy") ?? "noeviction";
  return policy === "noeviction" ? undefined : `its maxmemory-policy is ${policy} and must be noeviction`;
}
