import { expect, test } from "vitest";
import { takeTurns } from "../../bench/harness/turns.ts";

function sides(ran: string[], failsAt = Number.POSITIVE_INFINITY) {
  const side = (name: string, rounds?: number) => ({
    name,
    ...(rounds === undefined ? {} : { rounds }),
    async run() {
      ran.push(name);
      if (name === "b" && ran.filter((earlier) => earlier === name).length === failsAt) throw new Error("broken");
      return { wall: ran.length };
    },
  });
  return [side("a"), side("b"), side("once", 1)];
}

test("the sides take turns, and a side that runs less often skips some of its turns", async () => {
  const ran: string[] = [];
  const { samples, failures } = await takeTurns({ rounds: 3, sides: sides(ran) }, () => undefined);
  expect(ran.join(" ")).toBe("a b once a b a b");
  expect(samples.get("a")).toEqual([{ wall: 1 }, { wall: 4 }, { wall: 6 }]);
  expect(samples.get("once")).toEqual([{ wall: 3 }]);
  expect(failures).toEqual([]);
});

test("a side that fails does not run again, keeps no figures, and says why; the others go on", async () => {
  const ran: string[] = [];
  const { samples, failures } = await takeTurns({ rounds: 3, sides: sides(ran, 2) }, () => undefined);
  expect(ran.join(" ")).toBe("a b once a b a");
  expect(samples.get("a")).toHaveLength(3);
  expect(samples.get("b")).toEqual([]);
  expect(failures).toEqual([{ what: "b", why: "broken" }]);
});
