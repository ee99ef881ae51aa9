import { describe, expect, test } from "vitest";
import { lock } from "../support/commands.ts";
import { addresses, all, later, locks, planOf, problemsOf, rules, said, workspaceFile } from "./pull.ts";

test("a pull request that changes only manifests is judged as usual, and the plan names the ref", async () => {
  const plan = await planOf(() => ({ "manifests/c.yaml": lock("platform/ui", "main") }));
  expect(addresses(plan)).toEqual([...all.slice(0, 2), "create review/BranchLock/platform/ui:main", all[2]]);
  expect(plan.trusted).toEqual({
    ref: "main",
    commit: "0123456789abcdef0123456789abcdef01234567",
    changes: [],
    onceMerged: [],
  });
});

test("without a trusted ref, a plan does not mention rules", async () => {
  const plan = await planOf(() => ({}), {}, { trust: undefined });
  expect(plan.trusted).toBeUndefined();
});

describe("globs", () => {
  test("dotfiles that only the pull request allows are not read", async () => {
    const globs = '["manifests/*.yaml", "manifests/.*.yaml"]';
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), `${rules.rest}files: ["manifests/.c.yaml"]\n`, globs),
      "manifests/.c.yaml": lock("platform/ui", "main"),
    }));
    expect(problems).toMatchObject([
      { code: "SP1013", message: 'By the rules at main: No manifest matches "manifests/.*.yaml".' },
    ]);
  });

  test("a narrowed glob hides no manifest", async () => {
    const plan = await planOf(
      (url) => ({ "setpoint.yaml": workspaceFile(rules.services(url), rules.rest, '["manifests/a*.yaml"]') }),
      { base: "main" },
    );
    expect(addresses(plan)).toEqual(all);
    expect(later(plan)).toEqual([
      "Once merged, review/BranchLock/platform/core:release-2.3 is no longer declared: a plan with a base would delete it.",
      "Once merged, review/BranchLock/platform/ui:release-2.4 is no longer declared: a plan with a base would delete it.",
    ]);
  });

  test("a widened glob adds manifests, as a manifest in the old place would", async () => {
    const plan = await planOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest, '["manifests/*.yaml", "more/*.yaml"]'),
      "more/c.yaml": lock("platform/ui", "main"),
    }));
    expect(addresses(plan)).toContain("create review/BranchLock/platform/ui:main");
    expect(said(plan)?.map(([, path]) => path)).toEqual(["manifests"]);
  });

  test("manifests can move to another folder together with the glob", async () => {
    const plan = await planOf(
      (url) => ({
        "setpoint.yaml": workspaceFile(rules.services(url), rules.rest, '["config/*.yaml"]'),
        "manifests/a.yaml": undefined,
        "manifests/b.yaml": undefined,
        "config/a.yaml": locks["manifests/a.yaml"],
        "config/b.yaml": locks["manifests/b.yaml"],
      }),
      { base: "main" },
    );
    expect(addresses(plan)).toEqual(all);
  });
});
