import type { Problem } from "../../core/problem.ts";
import type { Attempt } from "./retry.ts";

/** What is known of a request that ended without a complete answer. */
interface Circumstances {
  readonly origin: string;
  /** Milliseconds that the answer had. */
  readonly timeout: number;
  /** Who ended it, if we did. */
  readonly stopped: "interrupted" | "late" | undefined;
  /** Whether the head of the answer had come. */
  readonly answering: boolean;
}

/** Codes of errors that arise before a request is sent. */
const unsentCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_PRX_CONN",
  "UND_ERR_PRX_TLS",
  // With signals looked at first: only a proxy that refuses the tunnel.
  "UND_ERR_ABORTED",
]);

/** OpenSSL's names for a certificate chain that is not trusted, and Node's for a wrong host name. */
const certificateCode = /CERT|^UNABLE_TO_|^CRL_|^(INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED)$/;

/** The problem of a request that an interrupt ended or kept from being sent. */
export const interrupted: Problem = {
  code: "SP5003",
  message: "The run was interrupted before the service answered.",
  hint: "Start it again: it reads what is there.",
};

/** Classifies an error of the transport. The error itself is dropped: it may hold what was sent. */
export function brokenAttempt(error: unknown, { origin, timeout, stopped, answering }: Circumstances): Attempt {
  const { code, connecting } = describe(error);
  if (stopped === "interrupted") return { is: "lost", problem: interrupted };
  if (stopped === "late") return { is: "lost", problem: timedOut(origin, timeout) };
  if (certificateCode.test(code)) return { is: "final", problem: untrusted(origin, code) };
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE")
    return {
      is: "final",
      problem: { code: "SP3103", message: "The answer is larger than 64 MiB.", hint: "Check the service's url." },
    };
  if (code === "UND_ERR_CONNECT_TIMEOUT") return { is: "unsent", problem: timedOut(origin, timeout) };
  if (connecting || unsentCodes.has(code))
    return {
      is: "unsent",
      problem: {
        code: "SP3102",
        message: `No connection to ${origin} (${code}).`,
        hint: "Check the service's url, the network, and HTTPS_PROXY and NO_PROXY.",
      },
    };
  if (answering)
    return {
      is: "lost",
      problem: {
        code: "SP3104",
        message: `The connection to ${origin} ended in the middle of the answer (${code}).`,
        hint: "Try again; if it stays, look at what stands between: a proxy or a gateway.",
      },
    };
  return {
    is: "lost",
    problem: {
      code: "SP3102",
      message: `The connection to ${origin} ended before the answer (${code}).`,
      hint: "Try again; if it stays, check the network and the service's log.",
    },
  };
}

function timedOut(origin: string, timeout: number): Problem {
  return {
    code: "SP3101",
    message: `No answer from ${origin} within ${timeout / 1000} s.`,
    hint: "Check that the service is up, or raise its limits.timeout.",
  };
}

function untrusted(origin: string, code: string): Problem {
  return {
    code: "SP3106",
    message: `The certificate of ${origin} is not trusted (${code}).`,
    hint: "Name your company's authority in SETPOINT_CA_FILE or NODE_EXTRA_CA_CERTS: a PEM file.",
  };
}

/** The error's code, and whether it arose while connecting; several addresses that all failed are one error. */
function describe(error: unknown): { readonly code: string; readonly connecting: boolean } {
  if (!(error instanceof Error)) return { code: "no code", connecting: false };
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  const syscall = "syscall" in error ? error.syscall : undefined;
  return { code, connecting: error instanceof AggregateError || syscall === "connect" || syscall === "getaddrinfo" };
}
