import { expect, test } from "vitest";
import { readJobResult } from "../../../src/engine/queue/result.ts";
import { plugin } from "../../../src/reconcilers/ci/plugin.ts";
import { accessRule } from "../../../src/reconcilers/review/access-rule.ts";
import { wikiPage } from "../../../src/reconcilers/wiki/wiki-page/wiki-page.ts";

const target = { address: "ci/Plugin/git", service: "ci", kind: plugin, scope: "running server", specs: [] };
const scopes = [{ ...target, targets: [target] }];
const ask = { run: "r", now: "2027-01-01T00:00:00Z", kind: "Plugin", scopes: [] };
const job = { id: "j", queue: "q", service: "ci", scopes, ask };

test("a value that still has an effect arrives from a worker unchanged, and only if it fits its kind", () => {
  const read = (leaving: unknown) => {
    const seen = { is: "absent", marker: { isLoaded: true }, leaving };
    return readJobResult(JSON.stringify({ reads: 1, seen: [seen] }), job).observations;
  };
  const spec = { name: "git", version: "5.6.0", restart: "safe" };
  expect(read(spec)).toEqual([["ci/Plugin/git", { is: "absent", marker: { isLoaded: true }, leaving: spec }]]);
  expect(read("git")).toMatchObject([["ci/Plugin/git", { is: "unknown", problem: { code: "SP5009" } }]]);
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["another kind's", { groups: null, local: [] }],
])("a resource whose marker no function of its kind can use is unknown: %s", (_case, marker) => {
  const spec = { project: "platform/ui", ref: "refs/heads/*", permission: "push", rules: [{ group: "Developers" }] };
  const place = { address: "review/AccessRule/a", service: "review", kind: accessRule, scope: "platform/ui" };
  const rules = { ...job, scopes: [{ ...place, targets: [{ ...place, specs: [spec] }] }] };
  const { observations } = readJobResult(JSON.stringify({ reads: 1, seen: [{ is: "present", spec, marker }] }), rules);
  expect(observations).toMatchObject([["review/AccessRule/a", { is: "unknown", problem: { code: "SP5009" } }]]);
});

test("an object whose live parts its kind cannot name is unknown: a plan asks which change takes over another one's", () => {
  const place = { address: "wiki/WikiPage/1", service: "wiki", kind: wikiPage, scope: "page 1" };
  const spec = { id: "1", title: "Soon", space: "OPS", body: { storage: "<p>" } };
  const pages = { ...job, scopes: [{ ...place, targets: [{ ...place, specs: [spec] }] }] };
  const marker = { version: 1, title: "Now", space: "OPS", body: "<p>" };
  const read = (title: unknown) =>
    readJobResult(JSON.stringify({ reads: 1, seen: [{ is: "present", spec: { ...spec, title }, marker }] }), pages);
  expect(read("Now").observations).toMatchObject([["wiki/WikiPage/1", { is: "present" }]]);
  expect(read(7).observations).toMatchObject([["wiki/WikiPage/1", { is: "unknown", problem: { code: "SP5009" } }]]);
});

test("a result that is nested so deeply that reading it would exhaust the stack is not a result", () => {
  const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  const text = `{"reads":1,"seen":[{"is":"present","spec":{"name":"git","deep":${deep}}}]}`;
  const { reads, observations } = readJobResult(text, job);
  expect(reads).toBe(0);
  expect(observations).toMatchObject([["ci/Plugin/git", { is: "unknown", problem: { code: "SP5009" } }]]);
});
