import { type Problem, ProblemError, problemsOf } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { isObject, type JsonObject } from "../../core/text/json.ts";
import type { SendCall, ServiceDescriptor } from "../service.ts";
import { isAtOwnRoot } from "./path.ts";

/**
 * Wraps the reads of a service so that a missing object (`ProblemError` SP3005) or an answer without content is believed
 * only once the service has proved itself. At a misspelt base path everything is missing, and whatever answers there may
 * answer nothing. The proof is a result with content from the service's own root. If no read under way brings one, the
 * descriptor's `proof` is read, which must. Without proof the problem is SP3103, so a missing object counts as unknown. If the
 * service also answers accounts that are not signed in, only the `proof` tells, and without it the problem is SP3003.
 */
export function provingReads(
  send: SendCall,
  { name, url, wire }: Service,
  { operations, proof, isSignedIn }: ServiceDescriptor,
): SendCall {
  const proven = Promise.withResolvers<undefined>();
  let isProven = false;
  let underWay = 0;
  let idle = Promise.withResolvers<void>();
  let asked: Promise<Problem | undefined> | undefined;

  async function sendCounted(operation: string, args: JsonObject): Promise<unknown> {
    if (underWay++ === 0) idle = Promise.withResolvers();
    try {
      const result = await send(operation, args);
      if (!isProven && isSignedIn === undefined && isAtOwnRoot(operations[operation]) && hasContent(result)) {
        isProven = true;
        proven.resolve(undefined);
      }
      return result;
    } finally {
      if (--underWay === 0) idle.resolve();
    }
  }

  /** Returns why the service is not proven; undefined if it is. */
  async function doubt(): Promise<Problem | undefined> {
    if (isSignedIn === undefined) await Promise.race([proven.promise, idle.promise]);
    if (isProven) return undefined;
    asked ??= send(proof[wire], {}).then(
      (result) => (hasContent(result) ? (isSignedIn?.(result) === false ? anonymous : undefined) : empty),
      (error: unknown) => problemsOf(error)[0],
    );
    return Promise.race([proven.promise, asked]);
  }

  return async (operation, args) => {
    if (isProven) return send(operation, args);
    try {
      const result = await sendCounted(operation, args);
      // The proof says nothing about another root, and an object is the form of a service.
      if (hasContent(result) || (isObject(result) && !isAtOwnRoot(operations[operation]))) return result;
      const reason = await doubt();
      if (reason === undefined) return result;
      throw new ProblemError(unproven({ ...empty, service: name, operation }, reason, url));
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problems.every(({ code }) => code !== "SP3005")) throw error;
      const reason = await doubt();
      if (reason === undefined) throw error;
      throw new ProblemError(...error.problems.map((missing) => unproven(missing, reason, url)));
    }
  };
}

const anonymous: Problem = {
  code: "SP3003",
  message: "The account is not signed in: the service answers it as anyone.",
  hint: "Check the credentials in the environment, which may be wrong or expired.",
};

const empty: Problem = { code: "SP3103", message: "The service sent an empty answer." };

/** An object around an empty list has none. */
function hasContent(result: unknown): boolean {
  if (Array.isArray(result)) return result.length > 0;
  return isObject(result) ? Object.values(result).some(hasContent) : result !== undefined && result !== "";
}

function unproven(missing: Problem, reason: Problem, url: string): Problem {
  if (reason === anonymous) return { ...missing, ...anonymous, message: `${missing.message} ${anonymous.message}` };
  return {
    ...missing,
    code: "SP3103",
    message: `${missing.message} That does not prove absence: nothing at ${url} answers as the service does. ${reason.operation ?? "A read"} failed: ${reason.message}`,
    hint: "Check the service's url and type: the path may be misspelt, or a proxy may answer in the service's place.",
  };
}
