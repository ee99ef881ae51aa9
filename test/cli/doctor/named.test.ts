import { expect, test } from "vitest";
import { openDesk } from "../../support/commands.ts";

test("doctor examines the named services only, and asks no other", async () => {
  await using desk = await openDesk("");
  const { code, out } = await desk.run(["doctor", "wiki", "review", "wiki", "--json"]);
  const { services } = JSON.parse(out);
  expect(code).toBe(0);
  expect(services.map(({ name }: { readonly name: string }) => name)).toEqual(["wiki", "review"]);
  expect(new Set(desk.sandbox.requests().map(({ service }) => service))).toEqual(new Set(["wiki", "review"]));
});

test("doctor and plan say what is wrong with the workspace file, and ask nobody", async () => {
  await using desk = await openDesk("");
  await desk.write("setpoint.yaml", "version: 1\n");
  expect(await desk.open().doctor()).toMatchObject({ is: "wrong", problems: [{ code: "SP1003" }] });
  expect(await desk.open().plan({ only: ["a/B/c"] })).toMatchObject({ is: "wrong", problems: [{ code: "SP1003" }] });
  expect(desk.sandbox.requests()).toEqual([]);
});

test("doctor refuses a service that the workspace does not have, and asks none", async () => {
  await using desk = await openDesk("");
  const { code, out } = await desk.run(["doctor", "wiki", "reveiw"]);
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('The workspace has no service "reveiw".') });
  expect(desk.sandbox.requests()).toEqual([]);
});
