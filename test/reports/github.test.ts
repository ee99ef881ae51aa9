import { error, notice, warning } from "@actions/core";
import { afterEach, expect, test, vi } from "vitest";
import { githubAnnotations } from "../../src/reports/formats/github.ts";
import { hostilePlan, hostileReport } from "../support/hostile-plan.ts";
import { change, emptyPlan, fullPlan } from "./fixture.ts";
import { mistakes } from "./report-fixture.ts";

afterEach(() => void vi.restoreAllMocks());

/** The output of GitHub's own library. */
function printed(print: () => void): string {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  print();
  const lines = write.mock.calls.map(([line]) => String(line));
  write.mockRestore();
  return lines.join("").trimEnd();
}

test("an annotation equals the output of GitHub's own library, at the line in the repository", () => {
  const hint = "100 %: see a,b";
  const place = { file: "a,b:c.yaml", line: 3, column: 5 };
  const problem = { code: "SP1004", message: 'No field "a".', hint, place } as const;
  const properties = { file: "tools/a,b:c.yaml", startLine: 3, startColumn: 5, title: "SP1004" };
  const own = printed(() => error(`No field "a".\nHint: ${hint}`, properties));
  expect(githubAnnotations({ command: "plan", problems: [problem], folder: "tools" })).toEqual([own]);
});

test("a drift is a warning and a change a notice", () => {
  const own = {
    service: "wiki",
    kind: "WikiPage",
    action: "update",
    place: { file: "w.yaml", line: 2, column: 7 },
  } as const;
  const changes = [change({ ...own, key: "1" }), change({ ...own, key: "2", verdict: "drift" })];
  const at = { file: "w.yaml", startLine: 2, startColumn: 7 };
  const expected = printed(() => {
    warning("wiki/WikiPage/2: drift, update", { ...at, title: "drift: wiki/WikiPage/2" });
    notice("wiki/WikiPage/1: pending, update", { ...at, title: "pending: wiki/WikiPage/1" });
  });
  expect(githubAnnotations({ plan: { ...emptyPlan, changes } }).join("\n")).toBe(expected);
});

test("what is unknown is a warning with the code of its problem", () => {
  const problem = { code: "SP3009", message: "The service answered 503.", hint: "Try again later." } as const;
  const unknown = [{ address: "wiki/WikiPage/1", service: "wiki", problem }];
  const expected = printed(() =>
    warning("SP3009 The service answered 503.\nHint: Try again later.", { title: "unknown: wiki/WikiPage/1" }),
  );
  expect(githubAnnotations({ plan: { ...emptyPlan, unknown } })).toEqual([expected]);
});

test("resources that one cause makes unknown are one annotation: GitHub shows ten for all services", () => {
  const problem = (message: string) => ({ code: "SP3009", message }) as const;
  const unknownIn = (service: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      address: `${service}/WikiPage/${index}`,
      service,
      problem: problem(`${service} answered 503.`),
    }));
  const unknown = [...unknownIn("a", 12), ...unknownIn("b", 1)];
  expect(githubAnnotations({ plan: { ...emptyPlan, unknown } })).toEqual([
    "::warning title=unknown%3A a/WikiPage/0 and 11 others::SP3009 a answered 503.",
    "::warning title=unknown%3A b/WikiPage/0::SP3009 b answered 503.",
  ]);
});

test("what refuses a plan, and what went wrong in an apply, is an error; a warning and what was skipped are warnings", () => {
  const own = { service: "wiki", kind: "WikiPage", action: "update" } as const;
  const changes = ["1", "2", "3", "4"].map((key) => change({ ...own, key }));
  const plan = {
    ...emptyPlan,
    changes,
    refusals: [{ code: "SP2002", message: "No." }] as const,
    warnings: [{ code: "SP5005", message: "Early." }] as const,
  };
  const problem = { code: "SP3006", message: "It was locked." } as const;
  const outcomes = [
    { address: "wiki/WikiPage/1", result: "failed", problem },
    { address: "wiki/WikiPage/2", result: "skipped", problem },
    { address: "wiki/WikiPage/3", result: "unknown" },
    { address: "wiki/WikiPage/4", result: "applied" },
  ] as const;
  const problems = [{ code: "SP5002", message: "Kept." }] as const;
  const report = { version: 1, run: "r", journal: "j", plan, calls: [], outcomes, requests: {}, problems } as const;
  expect(githubAnnotations({ plan, report }).map((line) => line.replace(/ .*?title=/, " "))).toEqual([
    "::error SP2002::No.",
    "::error SP5002::Kept.",
    "::error SP3006%3A wiki/WikiPage/1::failed: It was locked.",
    "::error unknown%3A wiki/WikiPage/3::unknown: It is not known whether the change took effect.",
    "::warning SP5005::Early.",
    "::warning SP3006%3A wiki/WikiPage/2::skipped: It was locked.",
  ]);
});

test("ten annotations of each level are shown, as GitHub does, and the rest are counted", () => {
  const many = Array.from({ length: 15 }, (_none, index) => mistakes.map((one) => ({ ...one, message: `${index}` })));
  const lines = githubAnnotations({ command: "plan", problems: many.flat() });
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toBe("::error title=setpoint::51 more errors; see the job's summary");
  const levels = githubAnnotations({ plan: fullPlan }).map((line) => line.split(" ")[0]);
  expect(levels).toEqual(levels.toSorted((a = "", b = "") => "ewn".indexOf(a.charAt(2)) - "ewn".indexOf(b.charAt(2))));
});

test("no name can give the runner a command", () => {
  const plan = hostilePlan();
  for (const result of [
    { plan },
    { plan, report: hostileReport() },
    { command: "plan", problems: plan.refusals } as const,
  ]) {
    const log = githubAnnotations(result).join("\n");
    const lines = log.split(/\r\n|\r|\n/);
    expect(lines).toHaveLength(githubAnnotations(result).length);
    expect(lines.filter((line) => !/^::(?:error|warning|notice) [^:]*::/.test(line))).toEqual([]);
    expect(log).not.toMatch(/##\w*\[/);
  }
});

test("acknowledged drift is not annotated", () => {
  const ignored = [{ address: "wiki/WikiPage/1", field: "title", until: "2027-01-20" }];
  expect(githubAnnotations({ plan: { ...emptyPlan, ignored } })).toEqual([]);
});
