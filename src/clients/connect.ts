import { onceEach } from "../core/once.ts";
import type { AnyReader, Operation, OperationTable, Reader } from "../core/operation.ts";
import { ProblemError, problemsOf } from "../core/problem.ts";
import type { Measured } from "../core/run/quota.ts";
import type { Secret } from "../core/secret.ts";
import type { Service } from "../core/service.ts";
import { canonicalJson, type JsonObject } from "../core/text/json.ts";
import type { Credentials, Environment } from "./credentials/credentials.ts";
import { credentialHint } from "./credentials/credentials-for.ts";
import { identities, revealed } from "./credentials/roots.ts";
import { serviceOfRole } from "./find-service.ts";
import { type Answer, decodeResult, expectedText, withoutCookies } from "./http/answer.ts";
import { systemClock } from "./http/clock.ts";
import { encodeRequest } from "./http/encode.ts";
import { openGauge } from "./http/gauge.ts";
import { cookieJar, etagMemory, isRemembered, type ReadingsOf, ticketedSend } from "./http/memory.ts";
import { type Attempt, attemptProblem, judge, showable } from "./http/outcome.ts";
import { localPace, type Pace } from "./http/pace.ts";
import { type Page, readPages } from "./http/pages.ts";
import { adaptivePool } from "./http/pool.ts";
import { provingReads } from "./http/proof.ts";
import type { Protocol } from "./http/protocol.ts";
import { type RequestEvent, requestTellers } from "./http/request-events.ts";
import { refusalGate, sendWithRetries, silenceOf } from "./http/retry.ts";
import { refuseRepeated, unlessRepeated } from "./http/spellings.ts";
import { openTransport, type TransportOptions } from "./http/transport.ts";
import { rowsOf } from "./rows.ts";
import type { SendCall, ServiceDescriptor } from "./service.ts";

/** A service that operations can be sent to. */
export interface Connection {
  /**
   * Sends one operation by name, repeats it if that is safe, and decodes its answer.
   *
   * Throws `ProblemError`, each problem with service, operation and hint: SP1002 for wrong arguments, SP1015 for a secret
   * that does not exist, SP4004 for a write in mode `read`, SP5003 after an interrupt, SP3003 to SP3106 for the rest;
   * SP3105 if a write might have been carried out.
   */
  call(operation: string, args: JsonObject): Promise<unknown>;
  /** Requests sent so far, every attempt counted. */
  readonly requests: { readonly reads: number; readonly writes: number };
  /** What these requests showed of the service's pace and quota. */
  readonly measured: Measured;
  /** Resolves when so few requests are waiting for their turn that more should be made. */
  room(): Promise<void>;
  /** Resolves when no request is under way. */
  close(): Promise<void>;
}

export interface ConnectOptions
  extends Pick<TransportOptions, "mode" | "signal" | "stopping" | "dispatcher">,
    Partial<Pick<TransportOptions, "clock">> {
  readonly credentials: Credentials;
  /** Replaces the secret of the credentials wherever and in whatever form they sign in. */
  readonly secret?: Secret;
  /** Whether a list is read to its end even if the call caps it with an argument such as `n`. */
  readonly pageAll?: boolean;
  /** Returns the secret that a call names by reference. */
  readonly resolveSecret?: (reference: string) => Promise<Secret>;
  /** Names proxies, `SETPOINT_CA_FILE` and the credentials of roots elsewhere. Default: the environment of the process. */
  readonly env?: Environment;
  /** Where an account's answers with entity tags are kept. Default: in memory, for the life of the connection. */
  readonly readings?: ReadingsOf | undefined;
  /** Decides when each request is sent; shared with other connections. Default: a pace for this connection only. */
  readonly pace?: Pace | undefined;
  /** Called with everything that happens to a request. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** The headers of a ticket that writes need, if the service has one. */
type Ticketed = Readonly<Record<string, string>>;

/** Connects to a service. Nothing is sent yet. */
export function openConnection(service: Service, options: ConnectOptions): Connection {
  const { credentials, signal, stopping, clock = systemClock, env = process.env, resolveSecret = noSecrets } = options;
  const { headers, fields, failure, decode, readBody, ticket, cookies, etags, quota } = serviceOfRole(
    service.role,
  ).protocol;
  const pool = adaptivePool(service.limits.concurrency);
  const paced = options.pace ?? localPace(service.limits, clock);
  // With a pace, no connection is made ahead: it might have to wait too long for its request.
  const waiting = paced === undefined ? pool.waiting : undefined;
  const transport = openTransport(service, { ...options, env, clock, waiting });
  const pace = paced ?? ((send) => send());
  const tellerOf = requestTellers(service.name, clock, options.onRequest);
  const gauge = openGauge(clock);
  const unlessSilent = silenceOf(new URL(service.url).origin, clock);
  const unlessRefused = refusalGate(clock, credentials.is !== "none");
  const jar = cookieJar();
  const permitted = rowsOf(service, options.mode);
  const ownSecrets = revealed(credentials);
  const identityAt = identities(service, headers, credentials, options.secret, env);
  // Without a secret, anyone could make the key of what is kept.
  const isOwn = etags === true && options.secret === undefined && credentials.is !== "none";
  const memory = etagMemory(isOwn ? options.readings?.({ service, asked: identityAt(undefined).headers }) : undefined);
  const withTicket =
    ticket &&
    ticketedSend(async () => {
      const { answer } = await sendOnce("sign-in", ticket.operation, {}, [...ownSecrets]);
      const session = cookieJar();
      session.store(answer, clock.now());
      return ticket.headers(answer, session.header());
    }, ticket.refused);

  /** Sends a request until it is answered, and decodes the answer. Adds to `secrets` what must not be shown. */
  async function sendOnce(name: string, operation: Operation, args: JsonObject, secrets: string[]): Promise<Page> {
    const request = encodeRequest(operation, args, fields?.(credentials));
    const identity = identityAt(request.root);
    secrets.push(...identity.secrets);
    const isWrite = operation.effect === "write";
    const redirects = isWrite && operation.answer === "headers";
    const ends = isWrite ? (stopping ?? signal) : signal;
    const teller = tellerOf({ operation: name, ...request }, secrets);
    const known = etags === true && isRemembered(operation, request.root) ? memory : undefined;
    const reading = readBody?.(operation.result);
    const attempt = async (ticketed: Ticketed): Promise<Attempt> => {
      const asking = known?.ask(request.path);
      const kept = cookies === true ? jar.header() : {};
      const sent = await gauge.during(() =>
        transport.send(
          { ...request, headers: { ...identity.headers, ...request.headers, ...kept, ...ticketed, ...asking?.header } },
          fileOf(operation, args),
          reading && ((head, body) => reading(head, isWrite ? body : unlessRepeated(body, secrets))),
        ),
      );
      if (sent.is !== "answered") return sent;
      gauge.note(quota?.(sent.answer));
      jar.store(sent.answer, clock.now());
      const answer = asking?.recall(sent.answer) ?? sent.answer;
      return judge(answer, failure(answer, clock.now()), secrets, redirects, request.path);
    };
    const paceOne = (ticketed: Ticketed) => pace(() => teller.sending(() => attempt(ticketed)), ends);
    const inTurn = (ticketed: Ticketed) => pool.run(() => unlessRefused(() => paceOne(ticketed), request.root));
    const retrying = { ...service.limits, effect: operation.effect, clock, signal, stopping, waiting: teller.waiting };
    const sendWith = (ticketed: Ticketed) => unlessSilent(() => sendWithRetries(() => inTurn(ticketed), retrying));
    const tickets = operation.method === "GET" ? undefined : withTicket;
    const ended = await (tickets === undefined ? sendWith({}) : tickets(sendWith));
    if (ended.is !== "answered") throw new ProblemError(attemptProblem(ended, operation.effect, clock.now()));
    const { answer } = ended;
    if (!isWrite) refuseRepeated(answer.body, secrets);
    try {
      return { result: resultIn(operation, args, answer), answer };
    } catch (error) {
      // The kept answer might no longer fit, in this version or at all: ask the service for the whole answer.
      known?.forget(request.path);
      if (answer.recalled) return sendOnce(name, operation, args, secrets);
      throw error;
    }
  }

  function resultIn(operation: Operation, args: JsonObject, answer: Answer): unknown {
    if (answer.decoded !== undefined) return answer.decoded();
    const isConfirmed = operation.effect === "write" && answer.body.length === 0;
    const content = (isConfirmed ? emptyContent : contentOf)(operation.answer, answer, decode);
    return decodeResult(operation, args, content);
  }

  return {
    requests: transport.requests,
    get measured() {
      return gauge.measured;
    },
    room: () => pool.room(),
    close: () => transport.close(),
    async call(name, args) {
      const secrets = [...ownSecrets];
      try {
        const { operation, args: spelt } = permitted(name, args);
        const opened: Record<string, string> = {};
        for (const argument of operation.secrets ?? []) {
          const reference = args[argument];
          if (typeof reference !== "string") continue;
          const text = (await resolveSecret(reference)).reveal();
          secrets.push(text);
          opened[argument] = text;
        }
        return await readPages(
          operation,
          { ...spelt, ...opened },
          (page) => sendOnce(name, operation, page, secrets),
          options.pageAll,
        );
      } catch (error) {
        throw new ProblemError(
          ...problemsOf(error).map((problem) => ({
            ...problem,
            ...(options.secret === undefined ? credentialHint(problem, name, service, credentials) : {}),
            message: showable(problem.message, secrets, longestMessage),
            service: service.name,
            operation: name,
          })),
        );
      }
    },
  };
}

/**
 * Returns a function that makes reading halves of the service's client. Equal reads of one reader share a request; all
 * readers share the proof that the service is there.
 */
export function readersOf(connection: Connection, service: Service): () => AnyReader {
  const descriptor = serviceOfRole(service.role);
  const send = provingReads((operation, args) => connection.call(operation, args), service, descriptor);
  return () => readerOf(send, service, descriptor);
}

/**
 * Returns the content of an empty answer to a write. It confirms the write whatever its type; to a read it would be
 * someone else's page.
 */
function emptyContent(form: Operation["answer"], { headers }: Answer): unknown {
  return form === "headers" ? withoutCookies(headers) : form === "text" ? "" : undefined;
}

function contentOf(form: Operation["answer"], answer: Answer, decode: Protocol["decode"]): unknown {
  switch (form) {
    case "text":
      return expectedText(answer, "text", /./);
    case "file":
      return answer.saved ?? expectedText(answer, "a file", /./);
    case "headers":
      // A success has no page. A page comes from something else, such as a login gateway.
      if (answer.status < 300) expectedText(answer, "an answer without a page", /./);
      return withoutCookies(answer.headers);
    case "json":
    case undefined:
      return decode(answer);
  }
}

/** The longest message of a problem, in characters: the service's words and ours. */
const longestMessage = 600;

async function noSecrets(): Promise<Secret> {
  throw new ProblemError({
    code: "SP1015",
    message: "A secret cannot be resolved here.",
    hint: "Only an apply sends calls with secrets.",
  });
}

/** Returns the file that an answer is written to; undefined if it is kept in memory. */
function fileOf({ answer }: Operation, { to }: JsonObject): string | undefined {
  return answer === "file" && typeof to === "string" ? to : undefined;
}

/**
 * The reading half of a service's client. Equal calls share one request for the life of the reader, even if it fails.
 * Reads that the service can answer together share one request if they are made at the same time.
 */
export function readerOf<Table extends OperationTable>(
  call: SendCall,
  service: Pick<Service, "wire">,
  descriptor: Pick<ServiceDescriptor<string, Table>, "operations" | "joinReads">,
): Reader<Table>;
export function readerOf(
  call: SendCall,
  { wire }: Pick<Service, "wire">,
  { operations, joinReads }: Pick<ServiceDescriptor, "operations" | "joinReads">,
): object {
  const joined = wire === "product" ? (joinReads?.(call) ?? {}) : {};
  const reads = Object.entries(operations)
    .filter(([, operation]) => operation.effect === "read")
    .map(([name]) => [name, onceEach(joined[name] ?? ((args) => call(name, args)), canonicalJson)] as const);
  return Object.fromEntries(reads);
}
