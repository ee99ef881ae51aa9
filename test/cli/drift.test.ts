import { expect, test } from "vitest";
import { openDesk, workflows } from "../support/commands.ts";

test("drift is what differs from the manifests, and exits with 2", async () => {
  await using desk = await openDesk(workflows("website", true));
  expect(await desk.run(["drift"])).toEqual({
    code: 0,
    out: "Everything is as desired: 1 resource, 1 read.\n",
    err: "",
  });
  desk.sandbox.change(({ hosting }) => {
    for (const { name, actions } of hosting.repositories) if (name === "website") actions.enabled = false;
  });
  const { code, out } = await desk.run(["drift"]);
  expect(out).toMatchInlineSnapshot(`
    "hosting  http://sandbox.example/hosting                                                       1 read
      ~ ActionsPermission meridian-kites/website                                    drift, widens access
          enabled  false → true

    0 in sync   0 pending   1 drift   0 conflicts   0 unknown
    An apply would undo this with 1 call: 1 × hosting.setActionsPermissions.
    "
  `);
  expect(code).toBe(2);
  expect((await desk.run(["drift", "--json"])).code).toBe(2);
  expect(desk.sandbox.requests().map(({ effect }) => effect)).toEqual(["read", "read", "read"]);
});
