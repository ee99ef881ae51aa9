import type { z } from "zod";
import type { Operation, OperationTable } from "../core/operation.ts";
import type { Account } from "./accounts.ts";
import type { Answered, Answers, Asked, Reply, ServiceRequest } from "./exchange.ts";
import { found, Refusal } from "./refusal.ts";
import { type Match, matchRoute, routesOf } from "./route.ts";

/** A stand-in for one service: all that the rest of the sandbox knows about it. */
export interface StandIn<State extends object = object> {
  readonly state: z.ZodType<State>;
  /** What the service holds in the world of the invented company. */
  readonly contents: unknown;
  /** The names of the operations that it answers. */
  readonly operations: readonly string[];
  /** Paths of the roots that are not the service's URL, by their name in a workspace. */
  readonly urls: Readonly<Record<string, string>>;
  /** Whether the secret of an account is a token or a password. */
  readonly signIn: "token" | "password";
  /** Answers a request. Pure: the state is replaced as a whole or, if the service refuses, not at all. */
  serve(request: ServiceRequest<State>): Served<State>;
}

/** What a service answered, the row it answered for, and what it holds afterwards. */
interface Served<State> {
  readonly reply: Reply;
  readonly match: Match | undefined;
  readonly state: State;
}

/** What the folder of a service says about it. */
interface Service<State extends object, Input, Table extends OperationTable> {
  readonly state: z.ZodType<State, Input>;
  readonly contents: Input;
  readonly operations: Table;
  /** Rows that no client has: other forms of a path, and what redirects lead to. */
  readonly otherOperations?: OperationTable;
  readonly answers: Answers<State> & Readonly<Record<keyof Table, unknown>>;
  readonly urls?: StandIn["urls"];
  readonly signIn: StandIn["signIn"];
  /** What credentials are for, as an answer 401 says. */
  readonly realm?: string;
  /** A plus in a path stands for a space. */
  readonly plusIsSpace?: true;
  /** Who asks; undefined is anonymous. Throws `Refusal` for credentials that are wrong, or missing where needed. */
  identify(request: ServiceRequest<State>): Account | undefined;
  /** What comes before every answer: throws `Refusal`, or answers in its place. */
  before?(asked: Asked<State>, operation: Operation): Answered<State> | undefined;
  /** `request` has the state after the answer. */
  encode(answered: Answered<State>, request: ServiceRequest<State>): Reply;
  refuse(refusal: Refusal, request: ServiceRequest<State>): Reply;
}

/** Makes a stand-in out of what the folder of a service says about it. */
export function standIn<State extends object, Input, Table extends OperationTable>(
  service: Service<State, Input, Table>,
): StandIn<State> {
  const urls = service.urls ?? {};
  const routes = [service.operations, service.otherOperations ?? {}].flatMap((table) => routesOf(table, urls));
  const answers: Answers<State> = service.answers;
  const takesFiles = routes.some(({ operation }) => operation.body === "file");
  return {
    state: service.state,
    contents: service.contents,
    operations: Object.keys(answers),
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
        const asked = { ...request, params: match.params, account };
        const answer = found(answers[match.name]);
        const answered = service.before?.(asked, match.operation) ?? answer(asked);
        const state = answered.changes === undefined ? request.state : { ...request.state, ...answered.changes };
        return { reply: service.encode(answered, { ...request, state }), match, state };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const reply = service.refuse(error, request);
        const challenge =
          error.status === 401 && service.realm !== undefined
            ? { "www-authenticate": `Basic realm="${service.realm}"` }
            : {};
        return { reply: { ...reply, headers: { ...reply.headers, ...challenge } }, match, state: request.state };
      }
    },
  };
}
