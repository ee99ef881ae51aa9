import { describe, expect, test } from "vitest";
import { openDirectLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { atOnce, claim, openState, service } from "./locks.ts";

describe("an apply", () => {
  const page = document("WikiPage", { id: "48213", title: "Dates" });
  const other = document("ActionsPermission", { org: "meridian-kites", repo: "website", enabled: false });

  test("is refused only while another run writes to a service that its plan calls", async () => {
    await using state = await openState();
    await using lab = await openDirectLab();
    const wiki = { ...service("x", `${lab.sandbox.url}/wiki`), role: "wiki" };
    const taken = await state.locks.take([wiki], claim, atOnce);
    const road = lab.another({ locks: state.locks });
    expect(await problemsOf(road.apply(page + other))).toMatchObject([{ code: "SP5005", service: "wiki" }]);
    expect(lab.asked().filter((name) => /^(set|update)/.test(name))).toEqual([]);
    expect(road.journal).toEqual([]);
    expect((await road.apply(other)).outcomes).toMatchObject([{ result: "applied" }]);
    taken.release();
    expect((await road.apply(page)).outcomes).toMatchObject([{ result: "applied" }]);
    expect(state.files()).toEqual([]);
  });

  test("that planned before another run wrote does not act on what it saw then", async () => {
    await using state = await openState();
    await using lab = await openDirectLab();
    const planned = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const late = lab.another({
      locks: {
        ...state.locks,
        async take(...given) {
          planned.resolve();
          await written.promise;
          return state.locks.take(...given);
        },
      },
    });
    const token = document("AccessToken", { description: "deploy", deliver: { file: "deploy" } });
    // Nobody wrote to the service of the page.
    const applied = late.apply(token + page);
    await planned.promise;
    await lab.another({ locks: state.locks }).apply(token);
    written.resolve();
    const { outcomes } = await applied;
    expect(outcomes).toMatchObject([{ result: "stale", problem: { code: "SP4003" } }, { result: "applied" }]);
    expect(lab.sandbox.state().artifacts.tokens.filter(({ description }) => description === "deploy")).toHaveLength(1);
  });

  test("that planned while another run was writing does not act on what it saw then", async () => {
    await using state = await openState();
    await using lab = await openDirectLab();
    const wiki = { ...service("wiki", `${lab.sandbox.url}/wiki`), role: "wiki" };
    const writing = await state.locks.take([wiki], claim, atOnce);
    const late = lab.another({ locks: state.locks });
    const report = await late.apply(page, () => {
      lab.sandbox.change(({ wiki }) => {
        const calendar = wiki.pages["48213"];
        if (calendar) calendar.title = "Days";
      });
      writing.release();
    });
    expect(report.outcomes).toMatchObject([{ result: "stale", problem: { code: "SP4003" } }]);
  });
});
