import { expect, test } from "vitest";
import { type ProblemCode, ProblemError, unlessMissing } from "../../src/core/problem.ts";

function problem(...codes: readonly ProblemCode[]): ProblemError {
  return new ProblemError(...codes.map((code) => ({ code, message: `${code} was answered` })));
}

test("what is read is given, and what the service does not have is undefined", async () => {
  expect(await unlessMissing(Promise.resolve("found"))).toBe("found");
  expect(await unlessMissing(Promise.reject(problem("SP3005")))).toBeUndefined();
  expect(await unlessMissing(Promise.reject(problem("SP3005")), /was answered/)).toBeUndefined();
});

test.each([
  ["another failure", problem("SP3009"), undefined],
  ["a mixture of failures", problem("SP3005", "SP3009"), undefined],
  ["an answer in other words", problem("SP3005"), /no properties/],
  ["an error that is no problem", new TypeError("SP3005"), undefined],
])("%s is not absence", async (_what, error, words) => {
  await expect(unlessMissing(Promise.reject(error), words)).rejects.toBe(error);
});
