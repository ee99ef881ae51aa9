import nock from "nock";
import { afterEach, beforeEach, expect } from "vitest";

/**
 * Answers the requests of a test file without a network; call it once at the top of the file. A request that nothing
 * was prepared for, and an answer that nothing asked for, fail the test. The only place that knows the mocking library.
 */
export function mockHttp(): (origin: string) => nock.Scope {
  const unmatched: string[] = [];
  const note = ({ method, url }: Request) => unmatched.push(`${method} ${url}`);

  beforeEach(() => {
    nock.disableNetConnect();
    nock.emitter.on("no match", note);
  });
  afterEach(() => {
    nock.emitter.off("no match", note);
    const unused = nock.pendingMocks();
    nock.cleanAll();
    expect({ unmatched: unmatched.splice(0), unused }).toEqual({ unmatched: [], unused: [] });
  });
  return (origin) => nock(origin);
}
