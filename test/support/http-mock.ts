import nock from "nock";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";

// An import activates it, also in a file whose tests are all left out.
nock.restore();

/** Whether requests are kept from the network. */
export function isMocking(): boolean {
  return nock.isActive();
}

/**
 * Answers the requests of a test file without a network; call it once at the top of the file. A request that nothing
 * was prepared for, and an answer that nothing asked for, fail the test. The only place that knows the mocking library.
 */
export function mockHttp(): (origin: string) => nock.Scope {
  const unmatched: string[] = [];
  const note = ({ method, url }: Request) => unmatched.push(`${method} ${url}`);

  beforeAll(() => {
    if (!nock.isActive()) nock.activate();
  });
  // Files share a worker: the next one may ask a real server.
  afterAll(() => {
    nock.enableNetConnect();
    nock.restore();
  });
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
