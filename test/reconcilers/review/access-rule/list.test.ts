import { describe, expect, test } from "vitest";
import { accessRule } from "../../../../src/reconcilers/review/access-rule.ts";
import { branchLock } from "../../../../src/reconcilers/review/branch-lock.ts";
import { openLab, problemsOf } from "../../../support/lab.ts";
import { readerOn } from "../../../support/read-lists.ts";
import { registered } from "./rules.ts";

/** Lists live rules: the keys of those that can be declared, and why others were left out. */
async function listedBy(reader: Parameters<NonNullable<typeof accessRule.list>>[0]) {
  const leftOut: string[] = [];
  const specs = await accessRule.list?.(reader, new Date(), (key, { code }) => leftOut.push(`${code} ${key}`));
  return { leftOut, keys: (specs ?? []).map(accessRule.key) };
}

describe("AccessRule", () => {
  test("a list names and leaves out the projects whose rules the account may not read; if it cannot, it fails", async () => {
    await using lab = await openLab();
    const read = readerOn(lab, "review");
    const getProjectAccess: typeof read.getProjectAccess = async (args) => {
      const access = await read.getProjectAccess(args);
      return args.projectName === "platform/core" ? { ...access, is_owner: false, config_visible: false } : access;
    };
    const { leftOut, keys } = await listedBy({ ...read, getProjectAccess });
    expect(leftOut).toEqual(["SP3004 platform/core:*"]);
    expect(keys).toEqual(expect.arrayContaining(["platform/ui:refs/heads/experimental/*:push"]));
    expect(keys).not.toContain("platform/core:refs/tags/*:createTag");
    const failed = accessRule.list?.({ ...read, getProjectAccess });
    expect(await problemsOf(failed ?? Promise.resolve())).toMatchObject([{ code: "SP3004" }]);
  });

  test("a list names and leaves out what setpoint does not understand, and blocks that might belong to a lock", async () => {
    await using lab = await openLab();
    const read = readerOn(lab, "review");
    const block = { rules: { [registered]: { action: "BLOCK" } } } as const;
    const plain = { rules: { [registered]: { action: "ALLOW" } } } as const;
    const odd = { unclear: { rules: "odd" } };
    const getProjectAccess: typeof read.getProjectAccess = async (args) => {
      const access = await read.getProjectAccess(args);
      const local = {
        "refs/heads/main": { permissions: { push: odd, submit: block, read: plain } },
        "refs/heads/next": { permissions: { push: plain }, unclear: { inherit: "odd" } },
        "refs/tags/*": { permissions: { push: odd, createTag: plain } },
      };
      return args.projectName === "platform/core" ? { ...access, local } : access;
    };
    const { leftOut, keys } = await listedBy({ ...read, getProjectAccess });
    expect(leftOut).toEqual(
      ["refs/heads/main:push", "refs/heads/main:submit", "refs/heads/next:*", "refs/tags/*:push"].map(
        (key) => `SP3103 platform/core:${key}`,
      ),
    );
    expect(keys).toEqual(
      expect.arrayContaining(["platform/core:refs/heads/main:read", "platform/core:refs/tags/*:createTag"]),
    );
    const locks: string[] = [];
    await branchLock.list?.({ ...read, getProjectAccess }, new Date(), (key) => locks.push(key));
    expect(locks).toEqual(["platform/core:main", "platform/core:next"]);
  });

  test("a list names and leaves out an exclusive permission without rules, by which nobody has it, unless a lock has it", async () => {
    await using lab = await openLab();
    const block = { group: registered, action: "BLOCK", force: false } as const;
    lab.sandbox.change(({ review }) => {
      const { access } = review.projects["platform/core"] ?? {};
      if (access === undefined) return;
      access["refs/heads/x"] = { push: { exclusive: true, rules: [] }, read: { exclusive: false, rules: [] } };
      access["refs/heads/y"] = { push: { exclusive: true, rules: [block] } };
    });
    const { leftOut } = await listedBy(readerOn(lab, "review"));
    expect(leftOut).toEqual(["SP1020 platform/core:refs/heads/x:push"]);
  });
});
