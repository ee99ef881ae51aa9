import { expect, test } from "vitest";
import { readResult } from "../../../src/engine/queue/result.ts";
import { plugin } from "../../../src/reconcilers/ci/plugin.ts";

test("a value that still has an effect arrives from a worker unchanged, and only if it fits its kind", () => {
  const target = { address: "ci/Plugin/git", service: "ci", kind: plugin, scope: "running server", specs: [] };
  const scopes = [{ ...target, targets: [target] }];
  const ask = { run: "r", now: "2027-01-01T00:00:00Z", kind: "Plugin", scopes: [] };
  const job = { id: "j", queue: "q", service: "ci", scopes, ask };
  const read = (leaving: unknown) => {
    const seen = { is: "absent", marker: { isLoaded: true }, leaving };
    return readResult(JSON.stringify({ reads: 1, seen: [seen] }), job).observations;
  };
  const spec = { name: "git", version: "5.6.0", restart: "safe" };
  expect(read(spec)).toEqual([["ci/Plugin/git", { is: "absent", marker: { isLoaded: true }, leaving: spec }]]);
  expect(read("git")).toMatchObject([["ci/Plugin/git", { is: "unknown", problem: { code: "SP5009" } }]]);
});
