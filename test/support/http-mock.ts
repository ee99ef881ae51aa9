import nock from "nock";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";

// Importing nock activates it, even in a file whose tests are all skipped.
nock.restore();

/** Whether requests are currently kept from the network. */
export function isMocking(): boolean {
  return nock.isActive();
}

/**
 * Answers the requests of a test file without a network; call it once at the top of the file. A request without a prepared
 * answer, or a prepared answer without a request, fails the test. No other file uses the mocking library.
 */
export function mockHttp(): (origin: string) => nock.Scope {
  const unmatched: string[] = [];
  const note = ({ method, url }: Request) => unmatched.push(`${method} ${url}`);

  beforeAll(() => {
    if (!nock.isActive()) nock.activate();
  });
  // Test files share a worker, and the next one might use a real server.
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
