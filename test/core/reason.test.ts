import { expect, test } from "vitest";
import { reasonOf } from "../../src/core/text/reason.ts";

test("a string longer than the engine allows is called too large", () => {
  const thrown = (make: () => unknown) => {
    try {
      return make();
    } catch (error) {
      return error;
    }
  };
  expect(reasonOf(thrown(() => "x".repeat(2 ** 30)))).toBe("it is too large");
  const read = Object.assign(new Error("Cannot create a string longer than 0x1fffffe8 characters"), {
    code: "ERR_STRING_TOO_LONG",
  });
  expect(reasonOf(read)).toBe("it is too large");
});

test.each(["EMFILE", "ENFILE"])("%s is told in words", (code) => {
  expect(reasonOf(Object.assign(new Error(code), { code }))).toBe("too many files are open");
});
