import { afterAll, beforeAll, describe, test } from "vitest";

/** What runs a server, or why none can run here. */
type Found = { readonly available: true } | { readonly available: false; readonly why: string };

/** Something that runs until it is stopped. */
interface Running {
  readonly stop: () => Promise<void>;
}

/**
 * Describes tests that share one real server. If none can run here, the tests are skipped and the title says why; if `CI` is
 * set, that is a failure.
 */
export function describeWithServer<Server extends Running>(
  title: string,
  found: Found,
  start: () => Promise<Server>,
  tests: (server: () => Server) => void,
): void {
  if (!found.available && process.env.CI)
    test(title, () => {
      throw new Error(`No real server can run here: ${found.why}.`);
    });
  describe.skipIf(!found.available)(found.available ? title : `${title} (skipped: ${found.why})`, () => {
    let running: Server | undefined;
    beforeAll(async () => {
      running = await start();
    });
    afterAll(() => running?.stop());
    tests(() => {
      if (running === undefined) throw new Error("The server runs in tests and hooks only.");
      return running;
    });
  });
}
