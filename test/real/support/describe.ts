import { afterAll, beforeAll, describe } from "vitest";
import { findGerrit, type Gerrit, startGerrit } from "./gerrit.ts";

const found = await findGerrit();

/** Tests that share one real server; where none can run here, each is skipped, and the title says why. */
export function describeWithGerrit(title: string, tests: (gerrit: () => Gerrit) => void): void {
  describe.skipIf(!found.available)(found.available ? title : `${title} (skipped: ${found.why})`, () => {
    let running: Gerrit | undefined;
    beforeAll(async () => {
      running = await startGerrit();
    });
    afterAll(() => running?.stop());
    tests(() => {
      if (running === undefined) throw new Error("The server runs in tests and hooks only.");
      return running;
    });
  });
}
