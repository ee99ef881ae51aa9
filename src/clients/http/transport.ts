import { type Dispatcher, errors } from "undici";
import type { Effect } from "../../core/operation.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { withoutEnd } from "../../core/text/words.ts";
import { type Answer, type Head, type ReadBody, saysHtml } from "./answer.ts";
import { type AgentOptions, agentsOf } from "./connections/agents.ts";
import { type BodyGoal, type Exchange, exchange, type Stage } from "./connections/exchange.ts";
import type { EncodedRequest, RequestBody, Root } from "./encode.ts";
import { openFile, writeWhole } from "./files.ts";
import { type Attempt, brokenAttempt, interrupted, whyUnsent } from "./outcome.ts";

/** What the transport may do, and with what. */
export interface TransportOptions extends AgentOptions {
  readonly mode: Effect;
  /** Ends every request and every wait. */
  readonly signal?: AbortSignal | undefined;
  /** Once aborted, no write is sent or repeated; reads and requests under way continue. Its reason can be a `ProblemError`. */
  readonly stopping?: AbortSignal | undefined;
}

/** The slowest upload that the time for a request allows, in bytes per millisecond: 1 MB/s. The answer has its own time. */
const slowestUpload = 1000;

/**
 * Sends requests to the origin of one service and nowhere else. Connections are opened as they are needed, through the proxy
 * that the environment names. Loopback addresses are never proxied.
 *
 * Throws `ProblemError`: SP3102 for a proxy that is not a URL, SP3106 for a `SETPOINT_CA_FILE` that cannot be read, SP3001 or SP3002
 * for a client certificate that cannot be used.
 */
export function openTransport(service: Service, options: TransportOptions) {
  const { mode, clock, signal, stopping, dispatcher } = options;
  const { timeout } = service.limits;
  const { agentOf, close } = agentsOf(service, options);
  const own = addressOf(service.url);
  const requests = { reads: 0, writes: 0 };
  const underWay = new Set<OneRequest>();
  // One listener serves all requests: combining two signals for each would cost more than sending it.
  const interrupt = () => {
    for (const one of underWay) one.stop("interrupted");
  };
  signal?.addEventListener("abort", interrupt);

  /** Says why a request is not sent; undefined if it is. Throws `ProblemError` SP4004 for a write in mode `read`. */
  function whyRefused(effect: Effect): Attempt | undefined {
    if (effect === "write" && mode === "read")
      throw new ProblemError({
        code: "SP4004",
        message: "A write was about to be sent, but only reads are allowed.",
      });
    if (signal?.aborted) return { is: "unsent", problem: interrupted };
    if (effect === "write" && stopping?.aborted) return { is: "final", problem: whyUnsent(stopping) };
    return undefined;
  }

  return {
    requests,
    close: () => {
      signal?.removeEventListener("abort", interrupt);
      return close();
    },
    /**
     * Sends a request once and reads the whole answer, into memory unless `readBody` does otherwise. Redirects are answers,
     * unless a successful answer is to be written to the file `to` or the request `follows` them. Then one redirect is
     * followed, without credentials, but not to a page for people, such as a login page.
     *
     * Throws `ProblemError` SP4004 for a forbidden write, SP1017 for a file that cannot be read or written, SP4003 for one
     * whose checksum is not the stated one.
     */
    async send(request: EncodedRequest, to?: string, readBody?: ReadBody): Promise<Attempt> {
      const { effect, method, root, path, headers, body, follows } = request;
      const refused = whyRefused(effect);
      if (refused !== undefined) return refused;
      const { origin, basePath } = root === undefined ? own : addressOf(urlOf(service, root));
      // A dispatcher that is not ours might keep the chunks that it is given.
      const { content, length } = await openBody(body, dispatcher === undefined);
      requests[effect === "read" ? "reads" : "writes"] += 1;
      const one = oneRequest((target) => agentOf(target, effect));
      underWay.add(one);
      const cancel = clock.timeout(timeout + Math.ceil(length / slowestUpload), () => one.stop("late"));
      try {
        const fields = { "user-agent": "setpoint", ...headers };
        const dispatched = {
          origin,
          path: `${basePath}${path}`,
          method,
          headers: content === null ? fields : { ...fields, "content-length": String(length) },
          body: content,
          reset: effect === "write",
        };
        const answer = await (to === undefined && follows !== true
          ? one.send(dispatched, () => readBody ?? "memory")
          : follow(one, dispatched, to, readBody ?? "memory"));
        return { is: "answered", answer };
      } catch (error) {
        if (error instanceof ProblemError) throw error;
        return brokenAttempt(error, { origin, timeout, stopped: one.stopped(), stage: one.stage() });
      } finally {
        cancel();
        underWay.delete(one);
        if (typeof content !== "string") content?.destroy();
      }
    },
  };
}

type OneRequest = ReturnType<typeof oneRequest>;

/** The exchanges that one request takes until it is answered: two after a redirect. */
function oneRequest(agentOf: (origin: string) => Dispatcher) {
  let stopped: "interrupted" | "late" | undefined;
  let current: Exchange | undefined;
  let isSent = false;
  return {
    send(request: Dispatcher.DispatchOptions, goalOf: (head: Head) => BodyGoal): Promise<Answer> {
      isSent = current !== undefined;
      current = exchange(agentOf(String(request.origin)), request, goalOf);
      if (stopped !== undefined) current.end(new errors.RequestAbortedError());
      return current.answer;
    },
    stop(why: "interrupted" | "late"): void {
      stopped ??= why;
      current?.end(new errors.RequestAbortedError());
    },
    stopped: () => stopped,
    stage(): Stage {
      const stage = current?.stage() ?? "connecting";
      return isSent && stage === "connecting" ? "sent" : stage;
    },
  };
}

/** Follows a redirect once, but not to a page. Writes a successful answer to the file `to`, if one is given. */
async function follow(
  one: OneRequest,
  request: Dispatcher.DispatchOptions,
  to: string | undefined,
  otherwise: BodyGoal,
): Promise<Answer> {
  const from = `${request.origin}${request.path}`;
  const whole: BodyGoal =
    to === undefined
      ? otherwise
      : async (head, body) => {
          const bytes = await writeWhole(body, to);
          return { ...head, body: Buffer.alloc(0), saved: { path: to, bytes } };
        };
  // Any other success, such as 206, carries only part of the file or nothing of it.
  const goalOf = (head: Head) => (head.status === 200 ? whole : otherwise);
  const first = await one.send(request, (head) => (redirectTarget(head, from) === undefined ? goalOf(head) : "memory"));
  const elsewhere = redirectTarget(first, from);
  if (elsewhere === undefined) return first;
  const target = { origin: elsewhere.origin, path: `${elsewhere.pathname}${elsewhere.search}` };
  const second = await one.send({ ...target, method: "GET", headers: { "user-agent": "setpoint" } }, (head) =>
    saysHtml(head) ? "memory" : goalOf(head),
  );
  return saysHtml(second) ? first : second;
}

/** Returns the origin, and the path in front of every path. */
function addressOf(url: string): { readonly origin: string; readonly basePath: string } {
  const { origin, pathname } = new URL(url);
  return { origin, basePath: withoutEnd(pathname, "/") };
}

/**
 * Returns the URL of another root. Throws `ProblemError`: SP3102 for one that the service's entry lacks, SP3002 for a
 * given URL that is not below the service's own.
 */
function urlOf(service: Service, root: Root): string {
  switch (root.is) {
    case "entry": {
      const url = service.urls?.[root.name];
      if (url !== undefined) return url;
      const hint = `Set it in setpoint.yaml: services.${service.name}.urls.${root.name}.`;
      throw new ProblemError({ code: "SP3102", message: `The service has no ${root.name} URL.`, hint });
    }
    case "given": {
      const url = URL.parse(root.url)?.href;
      if (url !== undefined && `${url}/`.startsWith(`${new URL(service.url).href.replace(/\/$/, "")}/`)) return url;
      const message = `The URL ${root.url} is not below ${service.url}, so the request was not sent.`;
      throw new ProblemError({
        code: "SP3002",
        message,
        hint: "Credentials are sent only to the service's own address.",
      });
    }
  }
}

/** Reopens the body for every attempt: a file is streamed from disk. `length` is in bytes. */
async function openBody(body: RequestBody | undefined, reuse: boolean) {
  if (body === undefined) return { content: null, length: 0 };
  return typeof body === "string" ? { content: body, length: Buffer.byteLength(body) } : openFile(body, reuse);
}

function redirectTarget({ status, headers: { location } }: Head, from: string): URL | undefined {
  if (status < 300 || status >= 400 || typeof location !== "string") return undefined;
  return URL.parse(location, from) ?? undefined;
}
