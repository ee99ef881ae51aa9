import { expect, test } from "vitest";
import { openDesk, workflows } from "../support/commands.ts";

test("drift is what differs from the manifests, and exits with 2", async () => {
  await using desk = await openDesk(workflows("website", true), { settings: "guards: { accept: [widens-access] }\n" });
  expect(await desk.open().drift()).toMatchObject({ is: "planned", plan: { changes: [], unknown: [] } });
  desk.sandbox.change(({ hosting }) => {
    for (const { name, actions } of hosting.repositories) if (name === "website") actions.enabled = false;
  });
  const { code, out, err } = await desk.run(["drift"]);
  expect(out.replace(/--until \S+/, "--until 2027-01-20")).toMatchInlineSnapshot(`
    "hosting  http://sandbox.example/hosting                                                       1 read
      ~ ActionsPermission meridian-kites/website                              drift, access was narrowed
          enabled  true → false
          manifests/all.yaml:2

    0 in sync   0 pending   1 drift   0 conflicts   0 unknown
    An apply would undo this with 1 call: 1 × hosting.setActionsPermissions.

    Undo:    setpoint apply --only hosting/ActionsPermission/meridian-kites/website
    Accept:  setpoint adopt hosting/ActionsPermission/meridian-kites/website
    Mute:    setpoint ack hosting/ActionsPermission/meridian-kites/website --until 2027-01-20 --reason …
    "
  `);
  expect({ code, err }).toEqual({ code: 2, err: "" });
  expect(desk.sandbox.requests().map(({ effect }) => effect)).toEqual(["read", "read"]);
});
