import type { z } from "zod";
import type { Operation, OperationTable } from "../core/operation.ts";
import type { Account } from "./accounts.ts";
import type { Answered, Answers, Asked, Reply, ServiceRequest } from "./exchange.ts";
import { found, notModelled, Refusal } from "./refusal.ts";
import { type Match, matchRoute, routesOf, type StandInRow } from "./route.ts";

/** A stand-in for one service, as the rest of the sandbox sees it. */
export interface StandIn<State extends object = object> {
  readonly state: z.ZodType<State>;
  /** The service's state in the world of the invented company. */
  readonly contents: unknown;
  /** The names of the client's operations that it answers. */
  readonly operations: readonly string[];
  /** Paths of the roots other than the service's URL, by their name in a workspace. */
  readonly urls: Readonly<Record<string, string>>;
  /** Whether the secret of an account is a token or a password. */
  readonly signIn: "token" | "password";
  /** Answers a request. Pure: returns a new state, or the given one if the service refuses. */
  serve(request: ServiceRequest<State>): Served<State>;
}

/** A service's response, the row that the request matched, and the state afterwards. */
interface Served<State> {
  readonly reply: Reply;
  readonly match: Match | undefined;
  readonly state: State;
}

/** The description of a service, as its folder gives it. */
interface Service<State extends object, Input, Table extends OperationTable> {
  readonly state: z.ZodType<State, Input>;
  readonly contents: Input;
  readonly operations: Table;
  /** Returns a row of the table as it is answered. Default: as it is. */
  rowOf?(row: Operation): StandInRow;
  /** Rows that setpoint's client lacks: other forms of a path, targets of redirects, and requests of other clients. */
  readonly otherOperations?: Readonly<Record<string, StandInRow>>;
  readonly answers: Answers<State> & Readonly<Record<keyof Table, unknown>>;
  readonly urls?: StandIn["urls"];
  readonly signIn: StandIn["signIn"];
  /** Operations whose query can have names that the caller chooses. */
  readonly freeQueries?: readonly string[];
  /** The realm that a 401 response names. */
  readonly realm?: string;
  /** A plus in a path stands for a space. */
  readonly plusIsSpace?: true;
  /** Returns the caller; undefined if anonymous. Throws `Refusal` if credentials are wrong, or missing but required. */
  identify(request: ServiceRequest<State>): Account | undefined;
  /** Runs before every operation. Can answer in its place, or throw `Refusal`. */
  before?(asked: Asked<State>, operation: Operation): Answered<State> | undefined;
  /** Encodes an answer. `request` has the state after the answer. */
  encode(answered: Answered<State>, request: ServiceRequest<State>): Reply;
  refuse(refusal: Refusal, request: ServiceRequest<State>): Reply;
}

export function standIn<State extends object, Input, Table extends OperationTable>(
  service: Service<State, Input, Table>,
): StandIn<State> {
  const { urls = {}, otherOperations = {}, rowOf = (row: Operation): StandInRow => row } = service;
  const rows = Object.entries(service.operations).map(([name, row]) => [name, rowOf(row)] as const);
  const routes = [Object.fromEntries(rows), otherOperations].flatMap((table) => routesOf(table, urls));
  const answers: Answers<State> = service.answers;
  const others = Object.keys(otherOperations).filter((name) => !Object.hasOwn(service.operations, name));
  const takesFiles = routes.some(({ operation }) => operation.body === "file");
  return {
    state: service.state,
    contents: service.contents,
    operations: Object.keys(answers).filter((name) => !others.includes(name)),
    urls,
    signIn: service.signIn,
    serve(request) {
      const isCut = request.content.bytes === undefined;
      let match: Match | undefined;
      try {
        if (isCut && !takesFiles) throw new Refusal(413);
        const account = service.identify(request);
        match = matchRoute(
          routes,
          service.plusIsSpace ? { ...request, path: request.path.replaceAll("+", "%20") } : request,
        );
        if (isCut && match.operation.body !== "file") throw new Refusal(413);
        if (!service.freeQueries?.includes(match.name)) requireKnown(match, request.query);
        const asked = { ...request, params: match.params, account };
        const answer = found(answers[match.name]);
        const answered = service.before?.(asked, match.operation) ?? answer(asked);
        const state = answered.changes === undefined ? request.state : { ...request.state, ...answered.changes };
        return { reply: service.encode(answered, { ...request, state }), match, state };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const reply = challenged(service.refuse(error, request), error, service.realm);
        return { reply, match, state: request.state };
      }
    },
  };
}

/** Adds the challenge that HTTP asks for in a 401 response. */
function challenged(reply: Reply, { status }: Refusal, realm: string | undefined): Reply {
  if (status !== 401 || realm === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, "www-authenticate": `Basic realm="${realm}"` } };
}

/** Throws `Refusal` 501 for a query argument that the row lacks: it might change what the product does. */
function requireKnown({ query, operation }: Match, sent: URLSearchParams): void {
  const known = [...query, ...(operation.query ?? []), ...Object.keys(operation.args.shape)];
  const unknown = [...new Set(sent.keys())].filter((name) => !known.includes(name));
  if (unknown.length > 0) throw notModelled(`${unknown.join(", ")} in the query`);
}
