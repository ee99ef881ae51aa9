import { expect, test } from "vitest";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { document } from "../support/manifest.ts";
import { expectOneHeld } from "../support/tokens.ts";
import { chanceOf } from "./chance.ts";
import { calm } from "./faults.ts";
import { machineOf } from "./machine.ts";
import { runProgram, type Stage } from "./program.ts";
import { virtualTime } from "./time.ts";
import { universeOf } from "./universe.ts";

const tokens = {
  artifacts: document("AccessToken", { description: "fresh", deliver: { file: "fresh" } }),
  tracker: document(
    "PersonalToken",
    { description: "fresh", validFor: 3, deliver: { file: "fresh" } },
    { service: "tracker" },
  ),
  wiki: document(
    "PersonalToken",
    { description: "fresh", validFor: 3, deliver: { file: "fresh" } },
    { service: "wiki" },
  ),
} as const;

/** Applies a new token while the disk has room for `room` entries of the journal, then again on a disk with enough room. */
async function applyTwice(role: keyof typeof tokens, room: number) {
  const world = defaultWorld();
  const universe = universeOf({ ...world, artifacts: { ...world.artifacts, tokens: [] } });
  const machine = machineOf();
  const stage: Stage = { universe, time: virtualTime(), chance: chanceOf(1), machine, acts: [] };
  const texts = { now: tokens[role], base: "", files: {} };
  const first = await runProgram(stage, texts, { ...calm, run: ["full disk"], step: room }, "first");
  const made = universe.arrivals.length;
  const second = await runProgram(stage, texts, calm, "second");
  const text = machine.vault.get("file fresh") ?? "";
  return {
    first,
    made,
    second,
    text,
    world: universe.world,
    operations: universe.arrivals.map(({ record }) => record.operation),
  };
}

test.each(["artifacts", "tracker", "wiki"] as const)(
  "wherever the disk fills up, a new %s token is replaced only if nothing confirms that its sink holds it, and the report says so",
  async (role) => {
    const told: string[] = [];
    for (let room = 0; room < 8; room++) {
      const { first, second, made, text, world, operations } = await applyTwice(role, room);
      expect(second).toMatchObject({ is: "reported" });
      expectOneHeld(world, role, "fresh", text);
      if (first.is !== "reported" || made === 0) continue;
      expect(first.report.outcomes).toMatchObject([{ result: "applied" }]);
      const [problem] = first.report.problems ?? [];
      const isDoubted = problem?.message.includes("The next apply replaces the new secret of") === true;
      if (problem !== undefined) told.push(problem.message);
      const isAgain = isDoubted && role !== "artifacts";
      const again = operations.slice(made).filter((operation) => operation?.endsWith("Token"));
      expect(again).toEqual(isAgain ? ["createToken", "deleteToken"] : []);
    }
    const kind = role === "artifacts" ? "AccessToken" : "PersonalToken";
    const again = `The next apply replaces the new secret of ${role}/${kind}/fresh, unless the service confirms that its sink holds it.`;
    expect(told[0]).toBe(`The journal cannot be written: ENOSPC. It has no outcome for call 1. ${again}`);
    expect(told.slice(1).filter((message) => message.includes("secret"))).toEqual([]);
  },
);
