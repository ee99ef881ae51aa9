import { expect, test } from "vitest";
import { analysisService } from "../../src/clients/analysis/service.ts";
import { reviewService } from "../../src/clients/review/service.ts";
import { wikiService } from "../../src/clients/wiki/service.ts";
import { load } from "../../src/manifests/load.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { renderProblems } from "../../src/reports/text/problems.ts";
import { inMemory } from "../support/in-memory.ts";

/** Common errors, one each, in a workspace that has a code review service and a wiki. */
const ws = `version: 1
services:
  review: { type: gerrit, url: "https://review.example.com" }
  wiki: { type: confluence, url: "https://wiki.example.com" }
`;
const lock = `kind: BranchLock
metadata:
  labels: { train: "2.4" }
spec:
  project: platform/core
  branch: release-2.4
  reason: Frozen for 2.4 GA
  permissions: [submit, push]
`;
const cases = {
  "one space too many": lock.replace("  branch:", "   branch:"),
  "one space too many first": lock.replace("  project:", "   project:"),
  "one space too few": lock.replace("  branch:", " branch:"),
  "metadata child too few": lock.replace("  labels:", "labels:"),
  "unclosed double quote": lock.replace("reason: Frozen for 2.4 GA", 'reason: "Frozen for 2.4 GA'),
  "unclosed double quote then other doc":
    lock.replace("reason: Frozen for 2.4 GA", 'reason: "Frozen for 2.4 GA') +
    "---\n" +
    lock.replace('train: "2.4"', "train: x").replace("core", "ui"),
  "unclosed quote then quote later": lock
    .replace("project: platform/core", 'project: "platform/core')
    .replace("reason: Frozen for 2.4 GA", 'reason: "Frozen"'),
  "unclosed single quote": lock.replace("reason: Frozen for 2.4 GA", "reason: 'Frozen for 2.4 GA"),
  "apostrophe in single": lock.replace("reason: Frozen for 2.4 GA", "reason: 'Kai's lock'"),
  "quote then text": lock.replace("reason: Frozen for 2.4 GA", 'reason: "Frozen" for 2.4 GA'),
  tab: lock.replace("  branch:", "\tbranch:"),
  "tab after spaces": lock.replace("  branch:", "  \tbranch:"),
  "merge conflict": lock
    .replace("  branch:", "<<<<<<< HEAD\n  branch: main\n=======\n  branch:")
    .replace("  reason", ">>>>>>> other\n  reason"),
  "rest of a merge conflict": lock.replace("  reason", ">>>>>>> other\n  reason"),
  "colon in text": lock.replace("Frozen for 2.4 GA", "Frozen: see mail"),
  "no space after colon": lock.replace("branch: release", "branch:release"),
  "kind misspelt": lock.replace("BranchLock", "BranchLok").replace("project:", "projekt:"),
  "Kind capital": lock.replace("kind:", "Kind:"),
  "kind key misspelt": lock.replace("kind:", "knid:"),
  "metadata misspelt": lock.replace("metadata:", "metdata:"),
  "spec misspelt": lock.replace("spec:", "specs:"),
  "metadata in spec":
    "kind: BranchLock\nspec:\n  metadata:\n    labels: { a: b }\n  project: platform/core\n  branch: main\n",
  "labels at top": "kind: BranchLock\nlabels: { a: b }\nspec:\n  project: platform/core\n  branch: main\n",
  "labels in spec": "kind: BranchLock\nspec:\n  labels: { a: b }\n  project: platform/core\n  branch: main\n",
  "spec fields at top": "kind: BranchLock\nproject: platform/core\nbranch: main\n",
  "spec flattened": "kind: BranchLock\nspec:\nproject: platform/core\nbranch: main\n",
  "text for map": 'kind: WikiPage\nspec:\n  id: "48213"\n  body: <p>2.4 GA</p>\n',
  "list for map": "kind: BranchLock\nspec:\n  - project: platform/core\n  - branch: main\n",
  "doc is list": "- kind: BranchLock\n  spec:\n    project: platform/core\n    branch: main\n",
  "map for list": lock.replace("[submit, push]", "{ submit, push }"),
  "scalar for list": lock.replace("[submit, push]", "submit"),
  "true text": lock.replace("reason: Frozen for 2.4 GA", 'exclusive: "true"'),
  yes: lock.replace("reason: Frozen for 2.4 GA", "exclusive: yes"),
  "number as string": "kind: BranchLock\nspec: { project: platform/core, branch: 2.4 }\n",
  "string as number":
    'kind: AccessRule\nspec:\n  project: platform/ui\n  ref: refs/heads/*\n  permission: label-Code-Review\n  rules:\n    - { group: A, min: "-2", max: 2 }\n',
  "duplicate key": lock.replace("reason: Frozen for 2.4 GA", "branch: main"),
  "missing separator": lock + lock.replace("core", "ui"),
  "two dashes": `${lock}--\n${lock.replace("core", "ui")}`,
  "bracket not closed before a separator": `${lock.replace("push]", "push")}---\n${lock.replace("core", "ui")}`,
  "JSON lines": '{"kind":"WikiPage","spec":{"id":"1"}}\n{"kind":"WikiPage","spec":{"id":"2"}}\n',
  "text after a list": lock.replace("Frozen for 2.4 GA", "[frozen] for 2.4 GA"),
  "glob without quotes": lock.replace("branch: release-2.4", "branch: *-2.4"),
  "four dashes": `${lock}----\n${lock.replace("core", "ui")}`,
  "dash separator with spaces": `${lock}- --\n${lock.replace("core", "ui")}`,
  "indented separator": `${lock}  ---\n${lock.replace("core", "ui")}`,
  "Windows line ends": lock.replaceAll("\n", "\r\n"),
  "smart quotes": lock.replace("reason: Frozen for 2.4 GA", "reason: “Frozen: x”"),
  "smart quotes value": lock.replace("branch: release-2.4", "branch: “release-2.4”"),
  "nbsp indentation": lock.replace("  branch:", "\u00a0 branch:"),
  "nbsp indentation2": lock.replace("  branch:", "\u00a0\u00a0branch:"),
  "nbsp after colon": lock.replace("branch: release", "branch:\u00a0release"),
  "at sign": lock.replace("Frozen for 2.4 GA", "@kai said so"),
  "percent/star": lock.replace("release-2.4", "*"),
  brace: lock.replace("release-2.4", "{{ branch }}"),
  "placeholder in a flow mapping": "kind: AnalysisUser\nforEach: [a, b]\nspec: { name: ${each}, x: y }\n",
  "placeholder in a flow list": lock.replace("[submit, push]", "[submit, prefix-${each.name}-x]"),
  "unclosed bracket": lock.replace("[submit, push]", "[submit, push"),
  "missing spec": "kind: BranchLock\n",
  "misspelt field": lock.replace("project", "projekt"),
  "dash glued":
    "kind: AccessRule\nspec:\n  project: platform/ui\n  ref: refs/heads/*\n  permission: push\n  rules:\n    -group: A\n",
  "hash in text": lock.replace("Frozen for 2.4 GA", "#1234 frozen"),
  "empty value": lock.replace("release-2.4", ""),
};
const wcases = {
  "service:": ws.replace("services:", "service:"),
  "manifest:": `${ws}manifest: ['manifests/*.yaml']\n`,
  "type misspelt": ws.replace("gerrit", "gerit"),
  "no version": ws.replace("version: 1\n", ""),
  "version text": ws.replace("version: 1", 'version: "1"'),
  "services list": "version: 1\nservices:\n  - name: review\n    type: gerrit\n    url: https://x.example.com\n",
  "broken yaml": ws.replace("{ type: gerrit,", "{ type: gerrit"),
  "tab ws": "version: 1\nservices:\n\treview: { type: gerrit, url: https://x.example.com }\n",
  empty: "",
};

const kaput = "kind: AnalysisGroup\nspec: { name: g, users: [kai] }\n---\nkind: AnalysisUser\nspec: { nam: kai }\n";
const analysis = `${ws}  analysis: { type: klocwork, url: "https://k.example.com" }\n`;

const files: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...Object.fromEntries(
    Object.entries(cases).map(([name, text]) => [name, { "setpoint.yaml": ws, "manifests/a.yaml": text }]),
  ),
  ...Object.fromEntries(
    Object.entries(wcases).map(([name, text]) => [name, { "setpoint.yaml": text, "manifests/a.yaml": lock }]),
  ),
  "a mistake in what another resource refers to": { "setpoint.yaml": analysis, "manifests/a.yaml": kaput },
};

/** The services that the workspaces here have. */
const types = [reviewService, wikiService, analysisService];

async function problemsIn(source: Readonly<Record<string, string>>) {
  const options = { kinds, types, workspaceFile: "setpoint.yaml", variables: {} };
  return (await load({ ...options, source: inMemory(source) })).problems;
}

test("the most common errors get the right message at the right place", async () => {
  const told = await Promise.all(
    Object.entries(files).map(async ([name, source]) => {
      const problems = await problemsIn(source);
      const summary = problems.length === 0 ? "no mistake" : "";
      return `## ${name}\n\n${renderProblems(problems, { width: 80, color: false, summary }).trimEnd()}\n`;
    }),
  );
  await expect(told.join("\n")).toMatchFileSnapshot("mistakes.txt");
});

test("each error causes one problem, whatever follows from it", async () => {
  const several = await Promise.all(
    Object.entries(files).map(async ([name, source]) => [name, (await problemsIn(source)).length] as const),
  );
  expect(several.filter(([, count]) => count !== 1)).toEqual([["Windows line ends", 0]]);
});
