import { expect, test } from "vitest";
import { firstProblem, type ProblemCode, ProblemError, problemCodes, unlessMissing } from "../../src/core/problem.ts";

function problem(...codes: readonly ProblemCode[]): ProblemError {
  return new ProblemError(...codes.map((code) => ({ code, message: `${code} was answered` })));
}

test('a result is returned as it is, and "not found" becomes undefined', async () => {
  expect(await unlessMissing(Promise.resolve("found"))).toBe("found");
  expect(await unlessMissing(Promise.reject(problem("SP3005")))).toBeUndefined();
  expect(await unlessMissing(Promise.reject(problem("SP3005")), /was answered/)).toBeUndefined();
});

test.each([
  ["another failure", problem("SP3009"), undefined],
  ["a mixture of failures", problem("SP3005", "SP3009"), undefined],
  ["an answer in other words", problem("SP3005"), /no properties/],
  ["an error that is no problem", new TypeError("SP3005"), undefined],
])("%s does not mean absence", async (_what, error, words) => {
  await expect(unlessMissing(Promise.reject(error), words)).rejects.toBe(error);
});

test("an error without a problem is thrown again instead of being taken for one", () => {
  expect(firstProblem(problem("SP3005", "SP3009")).code).toBe("SP3005");
  for (const error of [problem(), new TypeError("SP3005")]) expect(() => firstProblem(error)).toThrow(error);
});

test("every code has its own meaning, a full sentence", () => {
  const meanings = Object.values(problemCodes);
  expect(new Set(meanings).size).toBe(meanings.length);
  expect(meanings.filter((text) => !/^(git|[A-Z]\w*) .*\w\.$/.test(text))).toEqual([]);
});

test("an error that carries problems names them, one per line", () => {
  const error = problem("SP3005", "SP3009");
  expect(error.message).toBe("SP3005 SP3005 was answered\nSP3009 SP3009 was answered");
  expect([error.name, error instanceof Error]).toEqual(["ProblemError", true]);
  expect(error.problems).toEqual([
    { code: "SP3005", message: "SP3005 was answered" },
    { code: "SP3009", message: "SP3009 was answered" },
  ]);
});
