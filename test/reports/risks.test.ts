import { expect, test } from "vitest";
import { renderMarkdown } from "../../src/reports/formats/markdown.ts";
import { renderPlan } from "../../src/reports/text/plan-text.ts";
import { reviewFirst } from "../../src/reports/text/risks.ts";
import { change, emptyPlan, fullPlan } from "./fixture.ts";

test("the risks to review first are the same on the terminal and in Markdown, without narrowed access", () => {
  const narrowed = change({ service: "a", kind: "K", key: "narrowed", action: "update", risks: ["narrows-access"] });
  const plan = { ...emptyPlan, changes: [...fullPlan.changes, narrowed] };
  const expected = [
    "cannot be undone analysis/AnalysisRole/interns",
    "widens access review/AccessRule/platform/core:refs/heads/*:push",
    "widens access analysis/AnalysisUser/build-bot",
    "rotates a secret analysis/AnalysisUser/build-bot",
  ];
  const groups = reviewFirst(plan.changes);
  expect(groups.flatMap(({ words, addresses }) => addresses.map((one) => `${words} ${one}`))).toEqual(expected);

  const [, block = ""] =
    /Review first:\n((?: {2}.*\n)+)/.exec(renderPlan(plan, { width: 100, color: false, all: false })) ?? [];
  const onTerminal = block.trimEnd().split(/\n {2}(?! )/);
  expect(onTerminal.map((group) => group.trim().split(/\n */))).toEqual(
    groups.map(({ words, addresses }) => [words, ...addresses]),
  );

  const [, list = ""] = /\*\*Review first\*\*\n\n((?:- .*\n)+)/.exec(renderMarkdown({ plan })) ?? [];
  expect(list.trimEnd().split("\n")).toEqual(expected.map((line) => `- ${line.replace(/ (?=\S+$)/, ": ` ")} \``));
});
