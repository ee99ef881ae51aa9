import { describe, expect, test } from "vitest";
import type { Risk } from "../../src/core/change.ts";
import { inOrder } from "../../src/core/text/words.ts";
import { findEntries, markClass, pageEntries, tableLines } from "../../src/reports/html/app/entries.ts";
import {
  everything,
  type Facet,
  facets,
  hashOf,
  type PageQuery,
  queryOf,
  toggled,
} from "../../src/reports/html/app/query.ts";
import { cutAtDifference, partsOf } from "../../src/reports/html/app/text-diff.ts";
import { pageData } from "../../src/reports/html/view.ts";
import { asDrift, change, emptyPlan, fullPlan } from "../reports/fixture.ts";
import { fullReport } from "../reports/report-fixture.ts";
import { hostileTexts } from "../support/hostile-text.ts";
import { largePlan } from "../support/large-plan.ts";

const data = pageData({ plan: largePlan(420, 20) });
const entries = pageEntries(data);

function found(query: Partial<PageQuery>) {
  return findEntries(entries, { ...everything, ...query }).entries;
}

describe("the state in the URL", () => {
  test.each(hostileTexts.filter((text) => text.isWellFormed()))("keeps %j", (text) => {
    const query: PageQuery = { search: text, chosen: new Map([["service", [text, "a"]]]), at: text };
    expect(queryOf(hashOf(query))).toEqual(query);
  });

  test("is written as people write it, and unknown parts of it are ignored", () => {
    const query = queryOf("#verdict=drift&service=review&service=wiki&color=red");
    expect(query.chosen).toEqual(
      new Map([
        ["verdict", ["drift"]],
        ["service", ["review", "wiki"]],
      ]),
    );
    expect(hashOf(query)).toBe("#verdict=drift&service=review&service=wiki");
    expect(hashOf(everything)).toBe("");
  });

  test("loses a value that is chosen a second time", () => {
    const once = toggled(everything, "kind", "Alpha");
    expect([...once.chosen]).toEqual([["kind", ["Alpha"]]]);
    expect(toggled(once, "kind", "Alpha")).toEqual(everything);
    const twice = toggled(once, "kind", "Beta");
    expect([...toggled(twice, "kind", "Alpha").chosen]).toEqual([["kind", ["Beta"]]]);
  });
});

describe("a filter", () => {
  test.each([
    ["verdict", "drift", 14],
    ["action", "change", 14],
    ["risk", "widens access", 14],
    ["service", "review", 60],
    ["kind", "Gamma", 105],
    ["owner", "team-3", 35],
    ["label", "train=2.1", 140],
  ] as const)("by %s finds %s", (facet, value, count) => {
    const shown = found({ chosen: new Map([[facet, [value]]]) });
    expect(shown).toHaveLength(count);
  });

  test("matches any chosen value of a facet, and all facets together", () => {
    const chosen = new Map([
      ["verdict", ["drift", "pending"]],
      ["service", ["review"]],
    ] as const);
    const shown = found({ chosen });
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.every(({ verdict, service }) => verdict !== "in sync" && service === "review")).toBe(true);
  });

  test("counts for each facet what the other facets leave", () => {
    const { counts } = findEntries(entries, { ...everything, chosen: new Map([["service", ["review"]]]) });
    expect(counts.get("service")?.size).toBe(7);
    expect(Math.max(...(counts.get("owner")?.values() ?? []))).toBeLessThanOrEqual(60);
    expect([...counts.keys()]).toEqual([...facets]);
    const values = (facet: Facet) => [...(counts.get(facet)?.keys() ?? [])];
    // What two facets leave out counts nowhere.
    const both = new Map<Facet, readonly string[]>([
      ["service", ["review"]],
      ["verdict", ["drift"]],
    ]);
    const narrow = findEntries(entries, { ...everything, chosen: both });
    const sum = [...(narrow.counts.get("service")?.values() ?? [])].reduce((a, b) => a + b, 0);
    expect([sum, narrow.counts.get("kind")?.size ?? 0]).toEqual([
      14,
      new Set(narrow.entries.map(({ kind }) => kind)).size,
    ]);
    expect([values("action").includes(""), values("label").some((label) => label.startsWith("owner="))]).toEqual([
      false,
      false,
    ]);
  });

  test("counts what came of each resource of an apply, and marks show the same", () => {
    const applied = pageEntries(pageData({ plan: fullPlan, report: fullReport }));
    const counts = findEntries(applied, everything).counts.get("result") ?? new Map();
    const results = { failed: 1, stale: 1, "unknown result": 1, skipped: 1, applied: 2 };
    expect(Object.fromEntries(counts)).toEqual({ ...results, drift: 1, unknown: 13, "in sync": 1214 });
    // What needs a person was not to be applied.
    const marks = [...counts.keys()].filter((state) => state !== "drift");
    expect(new Set(applied.map(markClass))).toEqual(new Set([...marks, "person"].map((state) => `mark ${state}`)));
  });

  test("finds all words of a search, in names, labels, people and values", () => {
    expect(found({ search: "component-41: REVIEW" }).length).toBe(0);
    expect(found({ search: "component-40:" }).map(({ address }) => address)).toEqual([
      "tracker/Beta/platform/component-40:release-2.4",
    ]);
    expect(found({ search: "person-20" }).length).toBeGreaterThan(0);
    expect(found({ search: "  team-3  component-3: " })).toHaveLength(1);
    const whole = pageEntries(pageData({ plan: fullPlan }));
    const { entries: frozen } = findEntries(whole, { ...everything, search: "frozen for 2.4" });
    expect(frozen.map(({ kind }) => kind)).toEqual(["BranchLock"]);
    expect(whole.map(({ address }) => address)).toEqual(whole.map(({ address }) => address).toSorted(inOrder));
    expect(new Set(whole.map(({ result }) => result))).toEqual(new Set([undefined]));
  });
});

describe("the list", () => {
  test("begins with the gravest changes, and omits what is in sync unless it is searched for", () => {
    const whole = pageData({ plan: fullPlan });
    const all = pageEntries(whole);
    const headings = (query: PageQuery) =>
      tableLines(whole, findEntries(all, query).entries, all, query).flatMap((line) =>
        line.is === "heading" ? [line.title] : [],
      );
    expect(headings(everything)).toEqual([
      "Conflicts: both sides changed",
      "What had drifted before",
      "What this change does",
      "Unknown: could not be read",
    ]);
    expect(headings({ ...everything, search: "team-12" })).toEqual(["In sync"]);
    expect(headings({ ...everything, at: "analysis/AnalysisGroup/team-7" })).toContain("In sync");
  });
});

test("the list has wider access before narrower access, which is not to be reviewed first", () => {
  const having = (key: string, risk: Risk) =>
    change({
      ...{ service: "review", kind: "BranchLock", key, action: "update", verdict: "drift" },
      happened: { action: "update", risks: [risk] },
    });
  const changes = [having("a", "narrows-access"), having("b", "widens-access")];
  const whole = pageData({ plan: asDrift({ ...emptyPlan, changes }) });
  const all = pageEntries(whole);
  const lines = tableLines(whole, findEntries(all, everything).entries, all, everything);
  expect(lines.flatMap((line) => (line.is === "entry" ? [line.entry.key] : []))).toEqual(["b", "a"]);
});

describe("a text's difference", () => {
  test("is divided into equal, changed and omitted lines", () => {
    expect(partsOf([" a", "-b", "+c", "+d", "@9 equal lines", " e", "-f"])).toEqual([
      { is: "equal", lines: ["a"] },
      { is: "changed", removed: ["b"], added: ["c", "d"] },
      { is: "left out", words: "9 equal lines" },
      { is: "equal", lines: ["e"] },
      { is: "changed", removed: ["f"], added: [] },
    ]);
  });

  test("marks what differs within a line, if the lines have enough in common", () => {
    expect(cutAtDifference("<td>1 March</td>", "<td>15 March</td>")).toEqual(["<td>1", "", " March</td>"]);
    expect(cutAtDifference("<td>15 March</td>", "<td>1 March</td>")).toEqual(["<td>1", "5", " March</td>"]);
    expect(cutAtDifference("abcdefgh", "aZYXWVUT")).toEqual(["abcdefgh", "", ""]);
    expect(cutAtDifference("abc", "xyz")).toEqual(["abc", "", ""]);
  });
});
