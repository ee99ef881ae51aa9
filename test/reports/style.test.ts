import { expect, test } from "vitest";
import { styleOf } from "../../src/reports/style.ts";

test("a screen's options alone say whether it is painted", () => {
  const painted = (color: boolean) => styleOf({ width: 80, color }).paint("red", "gone");
  expect([painted(true), painted(false)]).toEqual(["\u001b[31mgone\u001b[39m", "gone"]);
});

test("what is painted may stand in what is painted", () => {
  const { paint } = styleOf({ width: 80, color: true });
  expect(paint("dim", `a ${paint("bold", "b")} c`)).toBe("\u001b[2ma \u001b[1mb\u001b[22m\u001b[2m c\u001b[22m");
  expect(paint("red", "")).toBe("");
});
