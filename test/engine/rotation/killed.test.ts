import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDirectLab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { expectOneHeld } from "../../support/tokens.ts";
import { held, live, services, toFile, worldWith } from "./world.ts";

/** A kill in the middle of an apply, which no code catches. */
class Killed extends Error {}

/** Decides where a run is killed: at its n-th action on the world. */
function killer() {
  let left = Number.POSITIVE_INFINITY;
  return {
    at(step: number) {
      left = step;
    },
    onStep() {
      if (left-- === 0) throw new Killed();
    },
  };
}

test("a clock far ahead, to which every new token is due, is named among the causes", async () => {
  await using lab = await openDirectLab({ world: worldWith("nothing") });
  const declared = { description: "deploy", expiresIn: "90d", rotateBefore: "30d", deliver: { file: "deploy" } };
  const ahead = new Date(Date.now() + 80 * 86_400_000);
  const { outcomes } = await lab.apply({ now: document("AccessToken", declared), at: ahead });
  expect(outcomes).toMatchObject([{ problem: { code: "SP4001", hint: expect.stringContaining("clock is wrong") } }]);
});

describe("a rotation that is killed", () => {
  const roles = ["artifacts", "tracker", "wiki"] as const;
  test.each(roles.flatMap((role) => [[role, "nothing"] as const, [role, "an old token"] as const]))(
    "on %s between any two steps, from %s, is completed by the next run with exactly one token, which the sink holds",
    async (role, state) => {
      const { world, manifest: declared } = services[role];
      let step = 0;
      for (let isKilled = true; isKilled; step++) {
        const { at, onStep } = killer();
        await using lab = await openDirectLab({ world: world(state), onStep });
        at(step);
        isKilled = await lab.apply(declared).then(
          () => false,
          (error) => error instanceof Killed,
        );
        const holds = existsSync(join(lab.folder, "deploy")) ? held(lab) : undefined;
        if (holds !== undefined) expect(live(lab, role).some(({ texts }) => texts.includes(holds))).toBe(true);
        if (state === "an old token" && holds === undefined)
          expect(live(lab, role).map(({ description }) => description)).toContain("deploy");
        at(Number.POSITIVE_INFINITY);
        const report = await lab.apply(declared);
        expect(report.outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
        expectOneHeld(lab.sandbox.state(), role, "deploy", held(lab));
        expect((await lab.plan(declared)).changes).toEqual([]);
      }
      // Journal, call and delivery each have their steps, and a revocation adds some.
      expect(step).toBe(state === "nothing" ? 10 : 14);
    },
  );

  test("twice, each time after the service created a token, still ends with one", async () => {
    const { at, onStep } = killer();
    await using lab = await openDirectLab({ world: worldWith("an old token"), onStep });
    for (const _time of [1, 2]) {
      at(4);
      await expect(lab.apply(toFile)).rejects.toThrow(Killed);
    }
    expect(live(lab).map(({ description }) => description)).toEqual(["deploy", "deploy (2)", "deploy (3)"]);
    at(Number.POSITIVE_INFINITY);
    await lab.apply(toFile);
    expect(live(lab).map(({ description }) => description)).toEqual(["deploy (4)"]);
    expectOneHeld(lab.sandbox.state(), "artifacts", "deploy", held(lab));
  });
});
