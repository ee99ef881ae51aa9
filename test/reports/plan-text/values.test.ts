import { expect, test } from "vitest";
import { renderPlan } from "../../../src/reports/text/plan-text.ts";
import { change, emptyPlan, fullPlan } from "../fixture.ts";
import { screen } from "./screen.ts";

test("up to ten fields of a created resource are listed; of more, nine are listed and the rest counted, unless all are requested", () => {
  const screenOf = (count: number, all = false) => {
    const fields = Array.from({ length: count }, (_, index) => ({
      path: [`field${index + 1}`],
      live: undefined,
      desired: index,
      verdict: "pending" as const,
    }));
    const changes = [change({ service: "wiki", kind: "WikiPage", key: "1", action: "create", fields })];
    return renderPlan({ ...emptyPlan, services: fullPlan.services, changes }, { ...screen, all });
  };
  expect(screenOf(10)).toContain("\n      field10  9\n");
  expect(screenOf(11)).toContain("\n      field9  8\n      … 2 more fields; --all lists them\n");
  expect(screenOf(11, true)).toContain("\n      field11  10\n");
});

test("the first two of many events are shown, and all of them if that is requested", () => {
  const events = ["3", "4", "5", "6"].map((name) => ({ what: "built", name, at: "2026-03-02T00:00:00.000Z" }) as const);
  const changes = [change({ service: "wiki", kind: "Builds", key: "1", action: "update", events })];
  const screenOf = (all: boolean) =>
    renderPlan({ ...emptyPlan, services: fullPlan.services, changes }, { ...screen, all });
  const third = "\n      4 built 2026-03-02 00:00 UTC\n      5 built";
  expect(screenOf(false)).toContain("\n      4 built 2026-03-02 00:00 UTC\n      … 2 more events; --all lists them\n");
  expect(screenOf(true)).toContain(third);
});

test("the first lines of a longer text are shown, and all of them if that is requested", () => {
  const desired = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n");
  const fields = [{ path: ["body"], live: "", desired, verdict: "pending" as const }];
  const changes = [change({ service: "wiki", kind: "WikiPage", key: "1", action: "update", fields })];
  const screenOf = (all: boolean) =>
    renderPlan({ ...emptyPlan, services: fullPlan.services, changes }, { ...screen, all });
  expect(screenOf(false)).toMatch(/… 1\d more lines; --all shows them\n/);
  expect(screenOf(false)).not.toContain("line 30");
  expect(screenOf(true)).toContain("line 30\n");
});

test("a secret is shown as dots on both sides of a change", () => {
  const fields = [
    { path: ["token"], live: "${env:OLD_TOKEN}", desired: "${file:new-token}", verdict: "pending" },
    { path: ["tokens"], live: [], desired: [{ value: "${env:OLD_TOKEN}" }], verdict: "pending" },
  ] as const;
  const changes = [change({ service: "wiki", kind: "Token", key: "bot", action: "update", fields })];
  const text = renderPlan({ ...emptyPlan, services: fullPlan.services, changes }, screen);
  expect(text).toContain("token   ••• → •••");
  expect(text).toContain("tokens  (empty) → {value: •••}");
});

test("a value that a service has as null is none", () => {
  const fields = [
    { path: ["value"], live: null, desired: "UTC", verdict: "pending" },
    { path: ["lines"], live: "a\nb", desired: null, verdict: "pending" },
  ] as const;
  const changes = [change({ service: "wiki", kind: "Token", key: "bot", action: "update", fields })];
  const text = renderPlan({ ...emptyPlan, services: fullPlan.services, changes }, screen);
  expect(text).toContain("value  (none) → UTC");
  expect(text).not.toContain("null");
});

test("texts that differ everywhere are not compared line by line", () => {
  const text = (name: string) => Array.from({ length: 3000 }, (_, index) => `${name} ${index}`).join("\n");
  const fields = [{ path: ["body"], live: text("old"), desired: text("new"), verdict: "drift" }] as const;
  const changes = [change({ service: "wiki", kind: "WikiPage", key: "1", action: "update", fields })];
  expect(renderPlan({ ...emptyPlan, services: fullPlan.services, changes }, screen)).toContain(
    "3,000 lines → 3,000 lines, too different to compare",
  );
});

test("long lines are cut so that the first difference is visible", () => {
  const line = (word: string) => `${"x".repeat(5000)}${word}${"y".repeat(5000)}`;
  const fields = [{ path: ["body"], live: line("OLD"), desired: line("NEW"), verdict: "drift" }] as const;
  const changes = [change({ service: "wiki", kind: "WikiPage", key: "1", action: "update", fields })];
  const text = renderPlan({ ...emptyPlan, services: fullPlan.services, changes }, screen);
  expect(text).toContain("-  …xxxxxxxxxxxxxxxxxOLDyyy");
  expect(text).toContain("+  …xxxxxxxxxxxxxxxxxNEWyyy");
});

test("spaces at the end of a line are seen if nothing else differs", () => {
  const fields = [{ path: ["body"], live: "a \nb", desired: "a\nb", verdict: "drift" }] as const;
  const changes = [change({ service: "wiki", kind: "WikiPage", key: "1", action: "update", fields })];
  const text = renderPlan({ ...emptyPlan, services: fullPlan.services, changes }, screen);
  expect(text).toMatch(/- {2}a\\u\{20\}\n +\+ {2}a\n/);
});
