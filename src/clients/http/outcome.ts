import type { Effect } from "../../core/operation.ts";
import { type Problem, type ProblemCode, ProblemError } from "../../core/problem.ts";
import { redacted } from "../../core/secret.ts";
import { shortened, utf8Text } from "../../core/text/words.ts";
import { type Answer, header, titleOf } from "./answer.ts";
import { breakProblem, closed, unconnectedHint } from "./connections/broken.ts";
import type { Stage } from "./connections/exchange.ts";
import { movedTo, redirectProblem } from "./connections/redirect.ts";
import { clientCertificateHint, schemeHint, tlsProblem } from "./connections/tls-problem.ts";
import { pauseWords } from "./retry-after.ts";
import { oneLine, spellingsOf } from "./spellings.ts";

/**
 * The result of sending a request once. `unsent`: nothing reached the service. `lost`: the request might have been
 * carried out. `final`: sending it again would end the same way.
 */
export type Attempt =
  | { readonly is: "answered"; readonly answer: Answer }
  | { readonly is: "failed"; readonly answer: Answer; readonly failure: Failure }
  | { readonly is: "unsent" | "lost" | "final"; readonly problem: Problem };

/** The most that is shown of a service's own words, in characters. */
const longestSaid = 300;

/**
 * Classifies an answer as the protocol says. A redirect is a failure too, unless `redirects` are what the operation
 * answers with and the protocol does not object. The protocol can object with the status that the redirect stands for.
 * `path` is the path that was requested.
 */
export function judge(
  answer: Answer,
  failure: Failure | undefined,
  secrets: readonly string[],
  redirects = false,
  path = "",
): Attempt {
  const { status } = failure ?? answer;
  const [asked = ""] = path.split("?");
  if (answer.status >= 300 && answer.status < 400 && status < 400 && !(redirects && failure === undefined)) {
    const [target = ""] = header(answer, "location")?.split("?") ?? [];
    const { location, moved } = movedTo(target, answer.status, asked);
    const redirect = { status: answer.status, location: showable(location, secrets, longestSaid), moved };
    return { is: "failed", answer, failure: { ...redirect, hint: failure?.hint } };
  }
  if (failure === undefined) return { is: "answered", answer };
  // A proxy can compress its pages unasked.
  const isText = header(answer, "content-encoding") === undefined || utf8Text(answer.body) !== undefined;
  const said = isText ? failure.said && showable(failure.said, secrets, longestSaid) : undefined;
  const title = said || !isText ? undefined : showable(titleOf(answer) ?? "", secrets, longestSaid);
  return { is: "failed", answer, failure: { ...failure, said, title, hasSlashes: /%2F/i.test(asked) } };
}

/** Statuses of a gateway that passed the request on and lost the answer. */
const gatewayStatuses: readonly number[] = [502, 504];

/**
 * The problem of an attempt without a usable answer, at the time `now`. A write whose answer was lost might have been carried
 * out.
 */
export function attemptProblem(
  attempt: Exclude<Attempt, { readonly is: "answered" }>,
  effect: Effect,
  now: number,
): Problem {
  const problem =
    attempt.is === "failed"
      ? failureProblem(attempt.failure, effect, pauseWords(attempt.failure, attempt.answer, now))
      : attempt.problem;
  const lost = attempt.is === "failed" ? gatewayStatuses.includes(attempt.failure.status) : attempt.is === "lost";
  if (effect === "read" || !lost) return problem;
  return {
    code: "SP3105",
    message: `The write may have been carried out, but its answer was lost. ${problem.message}`,
    hint: "Make a new plan: it shows what is left to do.",
  };
}

/** A service's answer that reports a failure. */
export interface Failure {
  /** The HTTP status, or the status in the answer if the service reports it there. */
  readonly status: number;
  /** The service's own words. */
  readonly said?: string | undefined;
  /** When a request limit ends, in milliseconds since 1970, if one was hit. Its status can be other than 429. */
  readonly resumes?: number | undefined;
  /** The title of a page that says nothing else, often a proxy's. */
  readonly title?: string | undefined;
  /** Whether the requested path contains `%2F`. */
  readonly hasSlashes?: boolean;
  /** Where a redirect points, and what has moved there. */
  readonly location?: string | undefined;
  readonly moved?: "object" | "service" | undefined;
  /**
   * Whether the answer has the form in which the service itself reports that an object does not exist. Otherwise a 404 is
   * that of a proxy or web server in between, which says nothing about the object.
   */
  readonly own?: boolean;
  /** Whether the answer is the one that hides an object from an account without permission. Its status can be 404. */
  readonly hidden?: boolean;
  /** What to do next, if more is known than the status says. Never the service's own words. */
  readonly hint?: string | undefined;
}

/** Whether a request limit was hit. If so, nothing was carried out. */
export function isLimit({ status, resumes }: Failure): boolean {
  return status === 429 || resumes !== undefined;
}

/** Where to find the reason if the answer may be that of a proxy. */
const logs = "Look in the service's log, or in that of a proxy in front of it.";

const hints = {
  SP3003: "Check the credentials in the environment, which may be wrong, expired or for another account.",
  SP3004: "Ask an administrator of the service to grant the permission, or use another account.",
  SP3005: "Check the names, and that the account can see the object: services hide objects it has no access to.",
  SP3006: "Make a new plan: it reads the object again.",
  SP3007: "The message is from the service; check the values it names.",
  SP3008: "Try again later, or lower the service's limits.concurrency.",
  SP3009: `Try again later. ${logs}`,
} as const satisfies Partial<Record<ProblemCode, string>>;

/** @see docs/facts.md, Across services: 410 means that a part of an API is gone */
const hintsByStatus: ReadonlyMap<number, string> = new Map([
  [410, "What is gone may be a part of the service's API: look for a newer version of setpoint."],
  [413, "The request is too large: raise the limit of the service, or of a proxy in front of it."],
]);

/** Proxies decode or refuse an encoded slash unless they are configured not to. */
const slashes = " A proxy in front of it must pass on %2F in paths unchanged.";

/** The problem of a failure, without service and operation. */
function failureProblem(failure: Failure, effect: Effect, pause: string): Problem {
  const { status, said, title, hint } = failure;
  if (status < 400) return redirectProblem(failure);
  const code = isLimit(failure) ? "SP3008" : codeOf(failure, effect);
  const words = said || title;
  const reason = words ? `: ${words.replace(/\.$/, "")}` : "";
  const more = failure.hasSlashes ? slashes : "";
  if (code === "SP3005" && failure.own !== true) return foreignProblem(status, reason, more);
  const isSilent = !said && (code === "SP3004" || code === "SP3007");
  const known = hintsByStatus.get(status) ?? (isSilent ? logs : hints[code]);
  const rest = isSilent || code === "SP3005" ? more : "";
  const usual = requiredHint(title ?? said ?? "") ?? `${known}${rest}`;
  return { code, message: `The service answered ${status}${reason}.${pause}`, hint: hint ?? usual };
}

/** What to do if a server says that it requires TLS, or more of TLS. */
function requiredHint(words: string): string | undefined {
  if (/\bSSL certificate\b/.test(words)) return clientCertificateHint;
  return /\bHTTPS (?:port|server)\b|\brequires TLS\b/.test(words) ? schemeHint : undefined;
}

/** The problem of a 404 that anything on the way might have sent: the object may well exist. */
function foreignProblem(status: number, reason: string, more: string): Problem {
  return {
    code: "SP3103",
    message: `The service answered ${status}, but not in its own form${reason}. The object is not known to be absent.`,
    hint: `Check the service's url and type: the path may be misspelt, or a proxy may answer in the service's place.${more}`,
  };
}

const codes: ReadonlyMap<number, keyof typeof hints> = new Map([
  [401, "SP3003"],
  [403, "SP3004"],
  [404, "SP3005"],
  [409, "SP3006"],
]);

function codeOf({ status, hidden }: Failure, effect: Effect): keyof typeof hints {
  if (hidden === true) return "SP3004";
  // Only a write can meet another one.
  if (status === 409 && effect === "read") return "SP3007";
  return codes.get(status) ?? (status >= 500 ? "SP3009" : "SP3007");
}

/** What is known about a request that ended without a complete answer. */
interface Circumstances {
  readonly origin: string;
  /** Milliseconds that were allowed for the answer. */
  readonly timeout: number;
  /** Why we ended it, if we did. */
  readonly stopped: "interrupted" | "late" | undefined;
  /** How far the request got. */
  readonly stage: Stage;
}

/** The problem of a request that an interrupt ended or kept from being sent. */
export const interrupted: Problem = {
  code: "SP5003",
  message: "The run was interrupted before the service answered.",
  hint: "Run it again: it starts from the current state.",
};

/** Why nothing is sent any more, once the signal is aborted. */
export function whyUnsent({ reason }: AbortSignal): Problem {
  const [problem] = reason instanceof ProblemError ? reason.problems : [];
  return problem ?? { ...interrupted, message: "The run was interrupted before this call." };
}

/** Classifies an error of the transport. The error itself is dropped: it might contain what was sent. */
export function brokenAttempt(error: unknown, { origin, timeout, stopped, stage }: Circumstances): Attempt {
  const code = codeOfError(error);
  const is = stage === "connecting" ? "unsent" : "lost";
  if (stopped === "interrupted") return { is, problem: interrupted };
  if (code === "UND_ERR_CONNECT_TIMEOUT") return { is, problem: unconnected(origin, timeout / 2) };
  if (stopped === "late") return { is, problem: (is === "unsent" ? unconnected : timedOut)(origin, timeout) };
  const problem = tlsProblem(origin, code, error);
  if (problem !== undefined) return { is: "final", problem };
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE")
    return {
      is: "final",
      problem: { code: "SP3103", message: "The answer is larger than 64 MiB.", hint: "Check the service's url." },
    };
  const refusal =
    error instanceof Error
      ? /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(error.message)?.[1]
      : undefined;
  if (refusal !== undefined)
    return { is: refusal < "500" ? "final" : "unsent", problem: refusedByProxy(origin, refusal) };
  const isOver = is === "unsent" && code === closed;
  return { is: isOver ? "final" : is, problem: breakProblem(error, { origin, code, stage }) };
}

function timedOut(origin: string, timeout: number): Problem {
  return {
    code: "SP3101",
    message: `No answer from ${origin} within ${timeout / 1000} s.`,
    hint: "Check that the service is up, or raise its limits.timeout.",
  };
}

/** Often a firewall that drops what it does not let through. */
function unconnected(origin: string, time: number): Problem {
  return {
    code: "SP3101",
    message: `No connection to ${origin} within ${time / 1000} s.`,
    hint: unconnectedHint,
  };
}

/** The proxy of the environment was reached, but does not let the connection through. */
function refusedByProxy(origin: string, status: string): Problem {
  return {
    code: "SP3102",
    message: `The proxy in the environment does not connect to ${origin} (${status}).`,
    hint:
      status === "407"
        ? "Put the user and password of the proxy into HTTPS_PROXY or HTTP_PROXY: http://user:password@host:port."
        : "Check the service's url, and that the proxy lets its host and port through, or name the host in NO_PROXY.",
  };
}

function codeOfError(error: unknown): string {
  if (!(error instanceof Error)) return "no code";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/**
 * Makes foreign text safe to show. Secrets become dots, however they are encoded. Control characters, which could control
 * a terminal, become spaces. Last, text that is longer than `longest` characters is cut.
 */
export function showable(text: string, secrets: readonly string[], longest: number): string {
  const clean = secrets
    .filter((secret) => secret !== "")
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replace(spellingsOf(secret), redacted), oneLine(text))
    .trim();
  return clean.length <= longest ? clean : shortened(clean, longest - 1);
}
