import { createHash } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Dispatcher } from "undici";
import type { Effect } from "../../core/operation.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { withoutEnd } from "../../core/words.ts";
import type { Environment } from "../credentials.ts";
import { agentsOf } from "./agents.ts";
import { isHtml, type ReadBody, readWhole } from "./answer.ts";
import type { Clock } from "./clock.ts";
import type { EncodedRequest, FileBody, RequestBody, Root } from "./encode.ts";
import { type Attempt, brokenAttempt, interrupted, whyUnsent } from "./outcome.ts";

/** What the transport may do, and with what. */
export interface TransportOptions {
  readonly mode: Effect;
  readonly env: Environment;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** No further write is sent. Its reason may be a `ProblemError`. */
  readonly stopping?: AbortSignal | undefined;
  /** Carries the requests, in place of connections that the transport opens and closes. */
  readonly dispatcher?: Dispatcher | undefined;
}

/** Sends requests to the origin of one service and nowhere else. */
export interface Transport {
  /**
   * Sends once and reads the whole answer, into memory unless `readBody` does otherwise. Redirects are answers,
   * unless a successful answer is to be written to the file `to`: then one redirect is followed, without credentials,
   * but not to a page for people, such as a login page.
   *
   * Throws `ProblemError` SP4004 for a forbidden write, SP1017 for a file that cannot be read or
   * written, SP4003 for one that has a checksum other than the stated one.
   */
  send(request: EncodedRequest, to?: string, readBody?: ReadBody): Promise<Attempt>;
  readonly requests: { readonly reads: number; readonly writes: number };
  close(): Promise<void>;
}

/** Bytes a millisecond that a request's body is given time for, beside the time for the answer: 1 MB/s. */
const slowestUpload = 1000;

/**
 * Opens connections as they are needed, through the proxy that the environment names. Loopback addresses are
 * never proxied.
 *
 * Throws `ProblemError`: SP3102 for a proxy that is no URL, SP3106 for a `SETPOINT_CA_FILE` that cannot be read.
 */
export function openTransport(service: Service, options: TransportOptions): Transport {
  const { mode, clock, signal, stopping, env, dispatcher } = options;
  const { timeout } = service.limits;
  const { agents, close } = agentsOf(env, timeout, dispatcher);
  const requests = { reads: 0, writes: 0 };

  return {
    requests,
    close,
    async send({ effect, method, root, path, headers, body }, to, readBody = readWhole) {
      if (mode === "read" && effect === "write")
        throw new ProblemError({
          code: "SP4004",
          message: "A write was about to be sent, but only reads are allowed.",
        });
      if (signal?.aborted) return { is: "unsent", problem: interrupted };
      if (effect === "write" && stopping?.aborted) return { is: "final", problem: whyUnsent(stopping) };
      const { origin, basePath } = addressOf(service, root);
      const { content, length } = await openBody(body);
      requests[effect === "read" ? "reads" : "writes"] += 1;
      const late = clock.timeout(timeout + Math.ceil(length / slowestUpload));
      let stage: "connecting" | "sent" | "answering" = "connecting";
      const agent = agents[effect].compose(
        whenSent(() => {
          stage = "sent";
        }),
      );
      try {
        const stop = AbortSignal.any(signal === undefined ? [late] : [late, signal]);
        let response = await agent.request({
          origin,
          path: `${basePath}${path}`,
          method,
          headers: {
            "user-agent": "setpoint",
            ...headers,
            ...(content === undefined ? {} : { "content-length": String(length) }),
          },
          ...(content === undefined ? {} : { body: content }),
          reset: effect === "write",
          signal: stop,
        });
        const elsewhere = to === undefined ? undefined : redirectTarget(response, `${origin}${basePath}${path}`);
        if (elsewhere !== undefined) {
          const redirect = { status: response.statusCode, headers: response.headers, body: Buffer.alloc(0) };
          await response.body.dump();
          const target = { origin: elsewhere.origin, path: `${elsewhere.pathname}${elsewhere.search}` };
          response = await agent.request({
            ...target,
            method: "GET",
            headers: { "user-agent": "setpoint" },
            signal: stop,
          });
          if (isHtml({ ...redirect, headers: response.headers })) {
            await response.body.dump();
            return { is: "answered", answer: redirect };
          }
        }
        stage = "answering";
        const { statusCode: status, headers: fields } = response;
        if (to === undefined || status >= 300)
          return { is: "answered", answer: await readBody({ status, headers: fields }, response.body) };
        const bytes = await writeWhole(response.body, to);
        return {
          is: "answered",
          answer: { status, headers: fields, body: Buffer.alloc(0), saved: { path: to, bytes } },
        };
      } catch (error) {
        if (error instanceof ProblemError) throw error;
        const stopped = signal?.aborted ? "interrupted" : late.aborted ? "late" : undefined;
        return brokenAttempt(error, { origin, timeout, stopped, stage });
      }
    },
  };
}

/**
 * The origin and the path in front of every path. Throws `ProblemError`: SP3102 for a URL that the service's entry lacks,
 * SP3002 for a given URL that is not below the service's own.
 */
function addressOf(
  service: Service,
  root: Root = { is: "service" },
): { readonly origin: string; readonly basePath: string } {
  const url = urlOf(service, root);
  const { origin, pathname } = new URL(url);
  return { origin, basePath: withoutEnd(pathname, "/") };
}

function urlOf(service: Service, root: Root): string {
  switch (root.is) {
    case "service":
      return service.url;
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
async function openBody(
  body: RequestBody | undefined,
): Promise<{ readonly content?: string | Readable; readonly length: number }> {
  if (body === undefined) return { length: 0 };
  return typeof body === "string" ? { content: body, length: Buffer.byteLength(body) } : openFile(body);
}

function redirectTarget({ statusCode, headers }: Dispatcher.ResponseData, from: string): URL | undefined {
  const location = headers.location;
  if (statusCode < 300 || statusCode >= 400 || typeof location !== "string") return undefined;
  return URL.parse(location, from) ?? undefined;
}

/** Calls `note` just before the first byte of a request is sent: until then a connection is being made, or waited for. */
function whenSent(note: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const start = handler.onRequestStart;
    handler.onRequestStart = (controller, context) => {
      note();
      start?.call(handler, controller, context);
    };
    return dispatch(options, handler);
  };
}

/** Streams a body to a file, which appears under its name when it is whole. Returns its length in bytes. */
async function writeWhole(body: Readable, to: string): Promise<number> {
  const partial = `${to}.part`;
  try {
    const file = await open(partial, "w");
    await pipeline(body, file.createWriteStream());
    await rename(partial, to);
    return (await stat(to)).size;
  } catch (error) {
    await rm(partial, { force: true });
    if (!(error instanceof Error && "syscall" in error && "path" in error)) throw error;
    throw new ProblemError({ code: "SP1017", message: `The file ${to} cannot be written: ${error.message}.` });
  }
}

/**
 * Opens a file for sending; `length` is in bytes. Where a checksum is stated the last part of the file leaves only when
 * the whole file has matched: of any other file the service gets only the beginning, which it does not store.
 *
 * Throws `ProblemError` SP1017 if it cannot be read; the stream ends with SP4003 if it is another file.
 */
async function openFile(body: FileBody): Promise<{ readonly content: Readable; readonly length: number }> {
  const file = await open(body.file).catch(() => undefined);
  const length = await file?.stat().then((found) => (found.isFile() ? found.size : undefined));
  if (file === undefined || length === undefined) {
    await file?.close();
    throw new ProblemError({ code: "SP1017", message: `The file ${body.file} cannot be read.` });
  }
  if (body.sha256 === undefined) return { content: file.createReadStream(), length };
  if (length === 0) {
    await file.close();
    requireChecksum(body, createHash("sha256").digest("hex"));
    return { content: Readable.from([]), length };
  }
  // What is appended meanwhile is not read: the length was sent before.
  const source = file.createReadStream({ end: length - 1 });
  // A request that ends before it is sent does not begin to read, and so would not close what it reads from.
  const content = Readable.from(checked(source, body)).once("close", () => source.destroy());
  return { content, length };
}

async function* checked(bytes: AsyncIterable<Buffer>, body: FileBody): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let held: Buffer | undefined;
  for await (const chunk of bytes) {
    hash.update(chunk);
    if (held !== undefined) yield held;
    held = chunk;
  }
  requireChecksum(body, hash.digest("hex"));
  if (held !== undefined) yield held;
}

function requireChecksum({ file, sha256 }: FileBody, found: string): void {
  if (found === sha256) return;
  throw new ProblemError({
    code: "SP4003",
    message: `The file ${file} has changed since the plan, so it was not stored.`,
    hint: "Make a new plan and review what changed.",
  });
}
