import { describe, expect, test } from "vitest";
import { allow, ref, section } from "./change.ts";
import { devs, localRules, post, registered, review, reviewSandbox, unguarded } from "./review.ts";

const block = { action: "BLOCK", force: false };

/** Returns a section of the world with rules of `push`. */
function push(rules: readonly object[], exclusive = false) {
  return { [ref]: { push: { exclusive, rules } } };
}

describe("commits", () => {
  test("combine all removals and additions of a request, with the message and its author", async () => {
    const sandbox = await reviewSandbox(push([{ group: devs }]));
    await post(sandbox, {
      remove: section("push", { rules: { [devs]: {} } }),
      add: {
        ...section("submit", { rules: { [registered]: block } }),
        "refs/heads/y": { permissions: { push: { rules: { [devs]: allow } } } },
      },
      message: "Freeze 2.4\n",
    });
    expect(sandbox.state().review.projects["a/b"]?.commits).toEqual([
      { message: "Freeze 2.4", author: "ada", date: expect.any(String) },
    ]);
  });

  test("have a message from the service if none is sent, and a new revision", async () => {
    const sandbox = await reviewSandbox();
    const before = unguarded(await review(sandbox, "/a/projects/a%2Fb/access"));
    const after = unguarded(await post(sandbox, { add: section("push", { rules: { [devs]: allow } }) }));
    expect(sandbox.state().review.projects["a/b"]?.commits).toEqual([
      { message: "Modify access rules", author: "ada", date: expect.any(String) },
    ]);
    expect(before).toHaveProperty("revision");
    expect(after).not.toMatchObject({
      revision: before instanceof Object && "revision" in before ? before.revision : "",
    });
  });

  test.each([
    ["nothing", {}],
    ["a rule that is there", { add: section("push", { rules: { [devs]: allow } }) }],
    ["taking away what is not there", { remove: section("submit", { rules: { [devs]: {} } }) }],
    ["taking away a group that is not known", { remove: section("push", { rules: { "no such": {} } }) }],
    ["adding a permission without rules", { add: section("submit", { rules: {} }) }],
    ["removing a section without permissions", { remove: { [ref]: {} } }],
  ])("are not made for %s", async (_, body) => {
    const sandbox = await reviewSandbox(push([{ group: devs }]));
    const before = sandbox.state();
    expect((await post(sandbox, body)).status).toBe(200);
    expect(sandbox.state()).toEqual(before);
  });
});

describe("additions", () => {
  test.each([
    ["ALLOW", "BLOCK", "ALLOW"],
    ["BLOCK", "ALLOW", "ALLOW"],
    ["ALLOW", "DENY", "DENY"],
    ["BLOCK", "INTERACTIVE", "BLOCK"],
  ])("to a group with %s append %s: both are stored and %s is shown", async (present, added, shown) => {
    const sandbox = await reviewSandbox(push([{ group: registered, action: present }]));
    await post(sandbox, { add: section("push", { rules: { [registered]: { action: added } } }) });
    expect(sandbox.state().review.projects["a/b"]?.access[ref]?.push?.rules).toHaveLength(2);
    expect(await localRules(sandbox)).toEqual({
      [ref]: { permissions: { push: { rules: { [registered]: { action: shown, force: false } } } } },
    });
  });

  test("do not change the exclusive flag of an existing permission, whatever the case of its name", async () => {
    const sandbox = await reviewSandbox(push([{ group: devs }]));
    await post(sandbox, { add: section("Push", { exclusive: true, rules: { [registered]: block } }) });
    expect(await localRules(sandbox)).toEqual({
      [ref]: { permissions: { push: { rules: { [devs]: allow, [registered]: block } } } },
    });
  });

  test.each(["7", devs, "developers"])("know the group %s", async (group) => {
    const sandbox = await reviewSandbox();
    await post(sandbox, { add: section("push", { rules: { [group]: null } }) });
    expect(await localRules(sandbox)).toEqual({ [ref]: { permissions: { push: { rules: { [devs]: allow } } } } });
  });

  test.each(["no such", "Twins"])("refuse the group %s", async (group) => {
    const answer = await post(await reviewSandbox(), { add: section("push", { rules: { [group]: block } }) });
    expect([answer.status, answer.text]).toEqual([422, `${group} is not a valid group ID\n`]);
  });

  test("silently ignore unknown fields, and a force that is not a boolean", async () => {
    const sandbox = await reviewSandbox();
    await post(sandbox, {
      add: section("push", { rules: { [devs]: { force: "yes", until: "May" } }, note: "" }),
      why: "",
    });
    expect(await localRules(sandbox)).toEqual({ [ref]: { permissions: { push: { rules: { [devs]: allow } } } } });
  });

  test("keep a range only for labels", async () => {
    const sandbox = await reviewSandbox();
    const rules = { [devs]: { min: -1, max: 1 } };
    await post(sandbox, { add: { [ref]: { permissions: { "label-Verified": { rules }, push: { rules } } } } });
    expect(await localRules(sandbox)).toEqual({
      [ref]: {
        permissions: {
          "label-Verified": { label: "Verified", rules: { [devs]: { ...allow, min: -1, max: 1 } } },
          push: { rules: { [devs]: allow } },
        },
      },
    });
  });

  test.each([
    ["heads/x", 400, "invalid section name"],
    ["*", 400, "invalid section name"],
    ["^heads/x", 400, "invalid section name"],
    ["refs/heads/x y", 400, "com.google.gerrit.exceptions.InvalidNameException: Invalid Name: refs/heads/x y"],
    ["refs/heads/x*", 400, "com.google.gerrit.exceptions.InvalidNameException: Invalid Name: refs/heads/x*"],
    ["refs/heads/*/x", 400, "com.google.gerrit.exceptions.InvalidNameException: Invalid Name: refs/heads/*/x"],
    ["^refs/heads/.*", 400, "com.google.gerrit.exceptions.InvalidNameException: Invalid Name: ^refs/heads/.*"],
    [
      "^refs/heads/(?!x).*",
      400,
      "com.google.gerrit.exceptions.InvalidNameException: Invalid Name: ^refs/heads/(?!x).*",
    ],
    ["^refs/heads/(", 500, "Internal server error"],
    ["GLOBAL_CAPABILITIES", 400, "Cannot edit global capabilities for projects other than All-Projects"],
  ])("refuse the section %s", async (name, status, text) => {
    const answer = await post(await reviewSandbox(), {
      add: { [name]: { permissions: { push: { rules: { [devs]: {} } } } } },
    });
    expect([answer.status, answer.text]).toEqual([status, `${text}\n`]);
  });

  test.each([
    "refs/*",
    "refs/heads/*",
    "refs/heads/${username}/*",
    "^refs/heads/x$",
    "^refs/heads/(x)$",
    "^refs/heads/x\\.y$",
    "^refs/heads/.*$",
    "^refs/heads/.+",
    "^refs/heads/[a-z].*",
    "^refs/heads/(rel|release)-[0-9]{2}$",
    "refs/for/refs/heads/x",
    "^refs/for/refs/heads/x$",
  ])("accept the section %s", async (name) => {
    const answer = await post(await reviewSandbox(), {
      add: { [name]: { permissions: { push: { rules: { [devs]: {} } } } } },
    });
    expect(answer.status).toBe(200);
  });

  test("refuse an unknown permission and what is no name of a label, but not an unknown label", async () => {
    const sandbox = await reviewSandbox();
    for (const name of ["fly", "label-a_b", "labelAs-a b", "label-SUBM", "label--x"]) {
      const refused = await post(sandbox, { add: section(name, { rules: { [devs]: allow } }) });
      expect([refused.status, refused.text]).toEqual([400, `Unknown permission: ${name}\n`]);
    }
    expect((await post(sandbox, { add: section("label-Nope", { rules: { [devs]: allow } }) })).status).toBe(200);
  });

  test.each([
    [{ min: -1 }, "-1.. (max is required if min is set)"],
    [{ max: 1 }, "..1 (min is required if max is set)"],
    [{ min: 1, max: -1 }, "1..-1 (min must be <= max)"],
  ])("refuse the range %j", async (range, text) => {
    const answer = await post(await reviewSandbox(), { add: section("label-X", { rules: { [devs]: range } }) });
    const assigns = `assigns label-X to group ${devs} on ref ${ref}`;
    expect([answer.status, answer.text]).toEqual([400, `Invalid range for permission rule that ${assigns}: ${text}\n`]);
  });

  test.each([{ [ref]: {} }, section("push", {})])("without contents fail: %j", async (add) => {
    const answer = await post(await reviewSandbox(), { add });
    expect([answer.status, answer.text]).toEqual([500, "Internal server error\n"]);
  });
});

describe("removals", () => {
  const foreign = { read: { rules: [{ group: devs }] } };
  const both = [{ group: devs }, { group: registered, action: "BLOCK" }];

  test("of a section without permissions remove it", async () => {
    const sandbox = await reviewSandbox({ [ref]: { ...push(both)[ref], ...foreign } });
    await post(sandbox, { remove: { [ref]: { permissions: {} } } });
    expect(await localRules(sandbox)).toEqual({});
  });

  test("of a permission with empty rules remove it and nothing else", async () => {
    const sandbox = await reviewSandbox({ [ref]: { ...push(both, true)[ref], ...foreign } });
    await post(sandbox, { remove: section("push", { rules: {} }) });
    expect(await localRules(sandbox)).toEqual({ [ref]: { permissions: { read: { rules: { [devs]: allow } } } } });
  });

  test("of a permission without rules remove the whole section", async () => {
    const sandbox = await reviewSandbox({ [ref]: { ...push(both)[ref], ...foreign } });
    await post(sandbox, { remove: section("push", {}) });
    expect(await localRules(sandbox)).toEqual({});
  });

  test("of a rule match only its group, remove all rules of the group and leave the flag", async () => {
    const sandbox = await reviewSandbox(push([...both, { group: registered }], true));
    await post(sandbox, { remove: section("push", { rules: { [registered]: { action: "DENY", force: true } } }) });
    expect(await localRules(sandbox)).toEqual({
      [ref]: { permissions: { push: { exclusive: true, rules: { [devs]: allow } } } },
    });
  });

  test.each([
    ["the section goes with it", false, {}],
    ["an empty section stays if the permission was exclusive", true, { [ref]: { permissions: {} } }],
  ])("of the last rule: %s", async (_, exclusive, left) => {
    const sandbox = await reviewSandbox(push([{ group: registered }], exclusive));
    await post(sandbox, { remove: section("push", { rules: { [registered]: {} } }) });
    expect(await localRules(sandbox)).toEqual(left);
  });

  test.each([
    ["as a whole", { [ref]: { permissions: {} } }],
    ["by its permission", section("push", { rules: {} })],
  ])("of a section %s keep its heading until the next removal if a permission was exclusive", async (_, remove) => {
    const sandbox = await reviewSandbox(push([{ group: registered }], true));
    await post(sandbox, { remove });
    expect(await localRules(sandbox)).toEqual({ [ref]: { permissions: {} } });
    await post(sandbox, { remove: { [ref]: { permissions: {} } } });
    expect(await localRules(sandbox)).toEqual({});
  });

  test("come before additions, so both together replace a rule", async () => {
    const sandbox = await reviewSandbox(push([{ group: devs }], false));
    await post(sandbox, {
      remove: section("push", { rules: {} }),
      add: section("push", { exclusive: true, rules: { [registered]: block } }),
    });
    expect(await localRules(sandbox)).toEqual({
      [ref]: { permissions: { push: { exclusive: true, rules: { [registered]: block } } } },
    });
  });
});
