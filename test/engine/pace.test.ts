import { expect, test } from "vitest";
import type { Pace } from "../../src/clients/http/pace.ts";
import { openSessions } from "../../src/engine/sessions.ts";
import { openDesk, workflows } from "../support/commands.ts";

test("reading, writing and verifying in one run share the pace of a service", async () => {
  await using desk = await openDesk(workflows("website", false));
  const paces: [string, Pace | undefined][] = [];
  const workspace = desk.open({
    openSessions: (services, mode, settings) => {
      for (const service of services.filter(({ name }) => name === "hosting"))
        paces.push([mode, settings.pace?.({ ...service, limits: { ...service.limits, requestsPerSecond: 5 } })]);
      return openSessions(services, mode, settings);
    },
  });
  const planned = await workspace.plan();
  if (planned.is === "wrong") throw new Error("The input is wrong.");
  expect(await workspace.apply(planned)).toMatchObject({ outcomes: [{ result: "applied" }] });
  expect(paces.map(([mode]) => mode)).toEqual(expect.arrayContaining(["read", "write"]));
  expect(new Set(paces.map(([, pace]) => pace)).size).toBe(1);
  expect(paces[0]?.[1]).toBeTypeOf("function");
});
