import { describe, expect, test } from "vitest";
import { type ProblemCode, ProblemError } from "../../../src/core/problem.ts";
import { listEach, refuse } from "../../../src/reconcilers/shared/left-out.ts";

/** Lists places, some of which fail with a problem, and returns what was found and what was left out. */
async function list(places: Readonly<Record<string, ProblemCode | undefined>>, canLeaveOut = true) {
  const leftOut: string[] = [];
  const leaveOut = canLeaveOut ? (key: string) => leftOut.push(key) : refuse;
  const readOne = async (place: string) => {
    const code = places[place];
    if (code !== undefined) throw new ProblemError({ code, message: place });
    return [place];
  };
  const found = await listEach(Object.keys(places), (place) => `${place}:*`, readOne, leaveOut);
  return { found, leftOut };
}

describe("a list of objects that are read one by one", () => {
  test("leaves out what the service refuses, no longer has, or answers strangely", async () => {
    const places = { one: undefined, two: "SP3004", three: "SP3005", four: "SP3103", five: undefined } as const;
    expect(await list(places)).toEqual({ found: ["one", "five"], leftOut: ["two:*", "three:*", "four:*"] });
    expect(await list({})).toEqual({ found: [], leftOut: [] });
  });

  test.each([
    ["a service that fails might know more", { one: undefined, two: "SP3009" }, true, "two"],
    [
      "a service that refuses everything is one problem, not one for each",
      { one: "SP3004", two: "SP3004" },
      true,
      "one",
    ],
    ["nothing can be left out", { one: undefined, two: "SP3004" }, false, "two"],
  ] as const)("fails if %s", async (_reason, places, canLeaveOut, message) => {
    await expect(list(places, canLeaveOut)).rejects.toMatchObject({ problems: [{ message }] });
  });
});
