import { describe, expect, test } from "vitest";
import { openLab } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";
import { accessOf, allow, main, managers, managersId, registered, results, rule } from "./rules.ts";

describe("AccessRule", () => {
  test("changes the last rule of a permission without changing its `exclusive` flag", async () => {
    await using lab = await openLab();
    expect(results(await lab.apply(rule({ rules: [{ group: managers, action: "DENY" }], exclusive: true })))).toEqual([
      "applied",
    ]);
    expect(accessOf(lab.sandbox.state())[main]?.push).toMatchObject({ exclusive: true, rules: [{ action: "DENY" }] });
  });

  test("keeps an `exclusive` flag that it had not set after its last rule: without it, wider patterns would apply again", async () => {
    await using lab = await openLab();
    const ours = { rules: [{ group: managers }] };
    expect(results(await lab.apply(rule(ours, { state: "absent" })))).toEqual(["applied"]);
    expect(accessOf(lab.sandbox.state())[main]).toEqual({ push: { exclusive: true, rules: [] } });
    await lab.apply(rule(ours));
    expect(accessOf(lab.sandbox.state())[main]).toEqual({ push: { exclusive: true, rules: [allow(managersId)] } });
    await lab.apply({ now: "", base: rule({ ...ours, exclusive: true }) });
    expect(accessOf(lab.sandbox.state())[main]).toEqual({});
  });

  test("resets the `exclusive` flag only if it had set it", async () => {
    await using lab = await openLab();
    const ours = rule({ exclusive: true });
    const flagAfterDelete = async (made: string, declared: string) => {
      await lab.apply(made);
      await lab.apply({ now: "", base: declared });
      return accessOf(lab.sandbox.state())[main]?.push;
    };
    expect(await flagAfterDelete(ours, rule())).toEqual({ exclusive: true, rules: [allow(managersId)] });
    expect(await flagAfterDelete(ours, ours)).toEqual({ exclusive: false, rules: [allow(managersId)] });
  });

  test("an `exclusive` flag that was there before a run needs a person: a revert would leave it cleared, and wider patterns would apply again", async () => {
    for (const exclusive of [true, false]) {
      const given = exclusive ? [] : [allow(managersId)];
      await using lab = await openLab();
      lab.sandbox.change(({ review }) => {
        const { access = {} } = review.projects["platform/core"] ?? {};
        access[main] = { push: { exclusive: true, rules: given } };
      });
      expect(results(await lab.apply(rule({ exclusive })))).toEqual(["applied"]);
      const { left, plan } = await lab.revert("");
      expect([left, plan.calls]).toMatchObject([
        [{ code: "SP4007", message: expect.stringContaining("more than a manifest can declare") }],
        [],
      ]);
    }
  });

  test("a plan says that the flag changes who may do something by wider patterns, also the flag of others' rules", async () => {
    await using lab = await openLab();
    const ref = "refs/heads/x";
    const [plain, open, closed] = [undefined, false, true].map((exclusive) => rule({ ref, exclusive }));
    const risksOf = async (now = "", base = "") =>
      (await lab.plan({ now, base })).changes.flatMap(({ risks, happened }) => [risks, happened?.risks]);
    expect(await risksOf(open)).toEqual([["widens-access"], undefined]);
    expect(await risksOf(closed)).toEqual([["widens-access", "narrows-access"], undefined]);
    await lab.apply(closed ?? "");
    expect(await risksOf(open, closed)).toEqual([["widens-access"], undefined]);
    expect(await risksOf(open, open)).toEqual([["widens-access"], ["narrows-access"]]);
    expect(await risksOf("", closed)).toEqual([["widens-access", "narrows-access"], undefined]);
    expect(await risksOf("", plain)).toEqual([["narrows-access"], undefined]);
    const others = rule({ ref, exclusive: false, rules: [{ group: managers, action: "DENY" }] });
    expect(await risksOf(others)).toEqual([["widens-access", "narrows-access"], undefined]);
  });

  test("leaves a flag that a lock now manages", async () => {
    await using lab = await openLab();
    const x = { ref: "refs/heads/x", exclusive: true };
    const both = {
      ...x,
      rules: [
        { group: registered, action: "BLOCK" },
        { group: managers, action: "DENY" },
      ],
    };
    await lab.apply(rule(both));
    const lock = document("BranchLock", { project: "platform/core", branch: "x", permissions: ["push"] });
    await lab.apply({ now: lock, base: rule(both) });
    expect(accessOf(lab.sandbox.state())["refs/heads/x"]?.push).toEqual({
      exclusive: true,
      rules: [{ group: registered, action: "BLOCK", force: false }],
    });
  });

  test("manages the flag of a permission that a lock no longer manages", async () => {
    await using lab = await openLab();
    const lock = document("BranchLock", { project: "platform/core", branch: "x", permissions: ["push"] });
    await lab.apply(lock);
    lab.sandbox.change(({ review }) => {
      review.projects["platform/core"]?.access["refs/heads/x"]?.push?.rules.push({
        ...{ group: "global:Project-Owners", action: "ALLOW", force: false },
      });
    });
    const now = rule({ ref: "refs/heads/x", exclusive: true, rules: [{ group: managers }] });
    expect(results(await lab.apply({ now, base: lock }))).toEqual(["applied", "applied"]);
    expect(accessOf(lab.sandbox.state())["refs/heads/x"]?.push).toMatchObject({ exclusive: true, rules: [{}, {}] });
  });

  test("leaves `exclusive` as it is if the manifest does not set it, or ignores it", async () => {
    await using lab = await openLab();
    await lab.apply(rule());
    expect(accessOf(lab.sandbox.state())[main]?.push?.exclusive).toBe(true);
    const ignoring = rule({ exclusive: false, rules: [{ group: registered, force: true }] }, { ignore: ["exclusive"] });
    const report = await lab.apply(ignoring);
    expect(report.plan.ignored).toEqual([
      { address: `review/AccessRule/platform/core:${main}:push`, field: "exclusive" },
    ]);
    expect(accessOf(lab.sandbox.state())[main]?.push).toMatchObject({
      exclusive: true,
      rules: expect.arrayContaining([allow(managersId), allow(registered, true)]),
    });
  });

  test("a flag needs a person beside the rule of a group that the service no longer knows, which it would not add again", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ review }) => {
      const { access } = review.projects["platform/core"] ?? {};
      if (access !== undefined)
        access[main] = { push: { exclusive: false, rules: [allow("gone"), allow(registered)] } };
    });
    expect((await lab.plan(rule({ rules: [{ group: managers }] }))).changes).toMatchObject([{ action: "create" }]);
    const report = await lab.apply(rule({ exclusive: true }));
    expect([report.calls, report.plan.changes]).toMatchObject([
      [],
      [{ action: "check", instruction: expect.stringContaining('"gone", a group that it does not know') }],
    ]);
    const ours = rule({ exclusive: true });
    lab.sandbox.change(({ review }) => {
      const push = review.projects["platform/core"]?.access[main]?.push;
      if (push !== undefined) push.exclusive = true;
    });
    expect((await lab.plan({ now: "", base: ours })).changes).toMatchObject([{ action: "check" }]);
  });

  test("changes `exclusive` by replacing the permission with every rule in it", async () => {
    await using lab = await openLab();
    expect(results(await lab.apply(rule({ exclusive: false })))).toEqual(["applied"]);
    expect(accessOf(lab.sandbox.state())[main]?.push).toEqual({
      exclusive: false,
      rules: expect.arrayContaining([allow(managersId), allow(registered)]),
    });
  });
});
