import type { Report } from "../../src/core/run/outcome.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { hostileTexts } from "./hostile-text.ts";

/** Returns a plan in which everything that comes from outside is one of the hostile texts. */
export function hostilePlan(texts: readonly string[] = hostileTexts): Plan {
  const problem = (text: string) =>
    ({ code: "SP3007", message: `No ${text}`, hint: text, service: text, operation: text }) as const;
  return {
    version: 1,
    about: { command: "plan", at: "2027-01-14T02:00:00.000Z", workspace: "platform" },
    base: texts[0] ?? "",
    services: [{ name: "review", role: "review", url: "https://review.example/", reads: 1 }],
    changes: texts.flatMap((text) =>
      [text, `x${text}`].map((key, side) => ({
        address: `review/BranchLock/${key}`,
        service: side === 0 ? "review" : text,
        kind: "BranchLock",
        key,
        place: { file: text, line: 1, column: 1 },
        action: "update" as const,
        verdict: "drift" as const,
        happened: { action: "update" as const, risks: [] },
        fields: [{ path: [text], live: text, desired: [text, { [text]: text }], verdict: "drift" as const }],
        risks: ["widens-access" as const],
        note: text,
        events: [{ what: "edited" as const, by: text, name: text, message: text }],
        instruction: text,
        dependsOn: [],
        phase: 0,
      })),
    ),
    inSync: texts.map((text) => `review/AccessRule/${text}`),
    unknown: texts.map((text) => ({ address: `review/X/${text}`, service: "review", problem: problem(text) })),
    ignored: [],
    unmanaged: texts.map((text) => `review/BranchLock/${text}`),
    refusals: texts.map(problem),
    calls: [],
    forecast: { writes: {}, verifyScopes: 0 },
    fingerprints: {},
  };
}

/** Returns the report of an apply of that plan, with every possible result. */
export function hostileReport(texts: readonly string[] = hostileTexts): Report {
  const plan = hostilePlan(texts);
  const results = ["applied", "failed", "skipped", "stale", "unknown"] as const;
  return {
    version: 1,
    run: "run",
    journal: ".setpoint/runs/run.jsonl",
    plan,
    calls: [],
    outcomes: plan.changes.map(({ address, key }, index) => ({
      address,
      result: results[index % results.length] ?? "failed",
      problem: { code: "SP3007", message: key, hint: key },
    })),
    requests: {},
  };
}
