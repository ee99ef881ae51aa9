import { expect, test } from "vitest";
import type { Problem } from "../../src/core/problem.ts";
import { countLine, separation } from "../../src/publishers/counts.ts";
import type { Edition, News } from "../../src/publishers/publisher.ts";
import { change, emptyPlan, fullPlan, refusals } from "../reports/fixture.ts";
import { fullReport } from "../reports/report-fixture.ts";
import { made } from "./press.ts";

const [problem = { code: "SP2002", message: "No." }] = refusals;
const wrong = (...codes: readonly Problem["code"][]): News => ({
  is: "wrong",
  problems: codes.map((code) => ({ code, message: "No." })),
});
const applied: News = { is: "made", subject: { plan: fullPlan, report: fullReport } };
const one = change({ service: "wiki", kind: "WikiPage", key: "1", action: "update", verdict: "conflict" });

test.each<[News, Edition["command"], string]>([
  [{ is: "started" }, "apply", "apply is running"],
  [wrong(), "plan", "Ended early"],
  [wrong("SP1004", "SP1002", "SP1004"), "plan", "Ended early: 3 problems (SP1004, SP1002)"],
  [made(emptyPlan), "plan", "Nothing to do, 0 in sync"],
  [
    made({ ...emptyPlan, affected: { resources: 3, others: 1200 } }),
    "plan",
    "Nothing to do, 0 in sync, 1,200 not looked at",
  ],
  [made(fullPlan), "plan", "4 pending, 2 drifted before, 1 conflict, 13 unknown"],
  [made(fullPlan), "drift", "4 pending, 2 drifted, 1 conflict, 13 unknown"],
  [made({ ...emptyPlan, changes: [one, one] }), "plan", "2 conflicts"],
  [made({ ...emptyPlan, refusals: [problem] }), "apply", "refused for 1 reason"],
  [applied, "apply", "2 applied, 1 failed, 1 skipped, 1 stale, 1 unknown, 1 for a person, 13 not readable"],
])("%o of %s is counted", (news, command, line) => {
  expect(countLine(news, command)).toBe(line);
});

test("a line that is too long for a status is cut, and one that just fits is whole", () => {
  const codes = Array.from({ length: 40 }, (_none, index) => `SP${1000 + index}` as Problem["code"]);
  const line = countLine(wrong(...codes), "plan");
  expect(line).toMatch(/^Ended early: 40 problems \(SP1000, .*…$/);
  expect(line).toHaveLength(140);
});

test.each<[string, News, Edition["command"], string]>([
  ["a drift", made(fullPlan), "drift", ""],
  ["a run that ended early", wrong("SP1004"), "plan", ""],
  ["a plan of nothing", made({ ...fullPlan, changes: [] }), "plan", ""],
  [
    "a plan without a base",
    made({ ...emptyPlan, changes: [one] }),
    "plan",
    "Without --base, what this change does and what had drifted before cannot be distinguished.",
  ],
  [
    "a plan",
    made(fullPlan),
    "plan",
    "Asked for by this change: 4 resources. Drifted before it: 2 resources. Changed on both sides: 1 resource.",
  ],
  [
    "a plan without conflicts",
    made({ ...fullPlan, changes: fullPlan.changes.slice(0, 1) }),
    "plan",
    "Asked for by this change: 1 resource. Drifted before it: 0 resources.",
  ],
])("%s says which side changed, as far as that is known", (_what, news, command, words) => {
  expect(separation(news, command)).toBe(words);
});
