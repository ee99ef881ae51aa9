import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../src/core/problem.ts";
import { openDirectLab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { group, job, shown } from "./run.ts";

const assigned = document("AnalysisRoleAssignment", { role: "Projects root", account: "newcomers", group: true });

describe("the revert of a run", () => {
  test("deletes what only a declaration still refers to, because what refers to it is already as before", async () => {
    await using lab = await openDirectLab();
    const user = document("AnalysisUser", { name: "newcomer" });
    const members = (users: readonly string[]) => document("AnalysisGroup", { name: "night", users, exclusive: true });
    await lab.apply(members(["jdoe"]));
    const declared = user + members(["jdoe", "newcomer"]);
    await lab.apply(declared);
    lab.sandbox.change(({ analysis }) => {
      const night = analysis.groups.find(({ name }) => name === "night");
      if (night) night.users = ["jdoe"];
    });
    const back = await lab.revert(declared);
    expect([shown(back.plan.changes), back.left]).toEqual([["delete analysis/AnalysisUser/newcomer"], []]);
    expect((await back.apply()).outcomes).toMatchObject([{ result: "applied" }]);
  });

  test.each([
    ["no longer declare it", ""],
    ["declare it again", group() + assigned],
  ])("restores everything else if something refers to what is gone for good, and manifests %s", async (_how, more) => {
    await using lab = await openDirectLab();
    await lab.apply(job("old") + group() + assigned);
    await lab.apply({ now: job("new"), base: job("old") + group() + assigned });
    const { plan, left, apply } = await lab.revert(job("new") + more);
    expect(shown(plan.changes)).toEqual(["update ci/JobConfig/nightly-checks"]);
    const key = "Projects root::group:newcomers";
    expect(left.map(({ address, message }) => [address, message])).toEqual([
      ["analysis/AnalysisGroup/newcomers", "What the run did to it cannot be undone."],
      [
        `analysis/AnalysisRoleAssignment/${key}`,
        `AnalysisRoleAssignment ${key} refers to analysis/AnalysisGroup/newcomers, which is neither declared nor live.`,
      ],
    ]);
    expect((await apply()).outcomes.map(({ result }) => result)).toEqual(["applied"]);
  });

  test("keeps and names what something now refers to, and undoes everything else", async () => {
    await using lab = await openDirectLab();
    await lab.apply(job("old"));
    await lab.apply(job("new") + group());
    const { plan, left, apply } = await lab.revert(job("new") + group() + assigned);
    expect(shown(plan.changes)).toEqual(["update ci/JobConfig/nightly-checks"]);
    expect(left).toMatchObject([
      {
        ...{ code: "SP4007", address: "analysis/AnalysisGroup/newcomers" },
        message: expect.stringMatching(
          /^AnalysisRoleAssignment .* refers to analysis\/AnalysisGroup\/newcomers, which did not exist before the run .*\.$/,
        ),
      },
    ]);
    expect((await apply()).outcomes.map(({ result }) => result)).toEqual(["applied"]);
  });

  test("keeps what something refers to, and not what has the beginning of its name", async () => {
    await using lab = await openDirectLab();
    const groups = ["newcomers", "newcomers, 2027"].map((name) => document("AnalysisGroup", { name })).join("");
    await lab.apply(groups);
    const refers = document("AnalysisRoleAssignment", {
      role: "Projects root",
      account: "newcomers, 2027",
      group: true,
    });
    const { plan, left } = await lab.revert(groups + refers);
    expect(shown(plan.changes)).toEqual(["delete analysis/AnalysisGroup/newcomers"]);
    expect(left.map(({ address }) => address)).toEqual(["analysis/AnalysisGroup/newcomers, 2027"]);
  });

  test.each([
    ["was refused", "intent", new ProblemError({ code: "SP3007", message: "No." })],
    ["may have been sent", "intent", new Error("killed")],
    ["was never sent", "outcome", new Error("killed")],
  ] as const)("deletes what a run created if what refers to it %s", async (_how, event, end) => {
    let isOver = false;
    await using lab = await openDirectLab({
      onStep() {
        const last = lab.journal.at(-1);
        const isSecond =
          lab.journal.filter((entry) => entry.event === "intent").length === (event === "intent" ? 2 : 1);
        if (isOver || !isSecond || last?.event !== event) return;
        isOver = true;
        throw end;
      },
    });
    await lab.apply(group() + assigned).catch((error: unknown) => expect(error).toBe(end));
    expect(lab.sandbox.state().analysis.groups.map(({ name }) => name)).toContain("newcomers");
    const { plan, left } = await lab.revert(group() + assigned);
    expect([shown(plan.changes), left]).toEqual([["delete analysis/AnalysisGroup/newcomers"], []]);
  });

  test("keeps what a run created if what the service refused, and refers to it, has been made by someone else", async () => {
    let calls = 0;
    const turn = async () => {
      if (++calls === 2) throw new ProblemError({ code: "SP3007", message: "No." });
    };
    await using lab = await openDirectLab({ turn });
    await lab.apply(group() + assigned);
    await lab.another().apply(assigned);
    const { plan, left } = await lab.revert(group() + assigned);
    expect([plan.changes, left]).toMatchObject([[], [{ address: "analysis/AnalysisGroup/newcomers" }]]);
  });
});
