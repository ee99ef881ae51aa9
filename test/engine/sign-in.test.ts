import { expect, test } from "vitest";
import type { Connection } from "../../src/clients/connect.ts";
import type { AnyReader } from "../../src/core/operation.ts";
import { type ProblemCode, ProblemError } from "../../src/core/problem.ts";
import { Secret } from "../../src/core/secret.ts";
import { openSignIns } from "../../src/engine/secrets/sign-in.ts";

/** Signs in with four secrets in turn, the second of which fails; returns whether each could be tried, and what is counted. */
async function signInWith(code: ProblemCode, isCounted: boolean) {
  const closed: number[] = [];
  let opened = 0;
  const connect = (): Connection => {
    const own = ++opened;
    return {
      requests: { reads: own, writes: 10 * own },
      measured: { requests: 0, milliseconds: 0 },
      room: async () => {},
      async call() {
        if (own === 2) throw new ProblemError({ code, message: "No." });
        return undefined;
      },
      close: async () => void closed.push(own),
    };
  };
  const calls = new Map<AnyReader, Connection["call"]>();
  const readerOf = ({ call }: Connection) => {
    const reader = {};
    calls.set(reader, call);
    return reader;
  };
  const signIns = openSignIns({ held: async () => new Secret("secret"), connect, readerOf, isCounted });
  const tried: boolean[] = [];
  for (const file of ["a", "b", "c", "d"]) {
    const reader = await signIns.signIn({ file });
    tried.push(reader !== undefined);
    await (reader && calls.get(reader))?.("getMyself", {}).catch(() => {});
  }
  await signIns.close();
  return { tried, closed, requests: signIns.requests() };
}

test("no secret is tried after one that was refused, if refusals count against the account, and only then", async () => {
  const all = [true, true, true, true];
  expect((await signInWith("SP3003", true)).tried).toEqual([true, true, false, false]);
  expect((await signInWith("SP3003", false)).tried).toEqual(all);
  expect((await signInWith("SP3009", true)).tried).toEqual(all);
});

test("the requests of all sign-ins are counted, and every connection is closed", async () => {
  const { closed, requests } = await signInWith("SP3009", true);
  expect(closed).toEqual([1, 2, 3, 4]);
  expect(requests).toEqual({ reads: 10, writes: 100 });
});
