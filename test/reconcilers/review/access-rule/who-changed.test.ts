import { describe, expect, test } from "vitest";
import { type Lab, openLab } from "../../../support/lab.ts";
import { main, rule } from "./rules.ts";

/** Removes permissions on the main branch, as someone would manually on the service. */
async function setRulesByHand(lab: Lab, project: string, message: string, { remove }: { remove: readonly string[] }) {
  const permissions = Object.fromEntries(remove.map((name) => [name, { rules: {} }]));
  const answer = await fetch(`${lab.sandbox.url}/review/a/projects/${encodeURIComponent(project)}/access`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("admin:secret")}`, "content-type": "application/json" },
    body: JSON.stringify({ remove: { [main]: { permissions } }, message }),
  });
  expect(answer.status).toBe(200);
}

describe("AccessRule", () => {
  test("budget: finding out who changed the rules is at most 3 reads per project, and only if the service changed them", async () => {
    await using lab = await openLab();
    const manifests = rule() + rule({ permission: "submit" }) + rule({ project: "tools" });
    await lab.apply(manifests);
    await setRulesByHand(lab, "platform/core", "Just this once\n\nOnly until Friday.", { remove: ["push", "submit"] });
    lab.asked();
    expect((await lab.plan({ now: manifests, base: "" })).changes).toMatchObject([
      { verdict: "pending" },
      { verdict: "pending" },
    ]);
    expect(lab.asked()).toEqual(["listAccess"]);
    const drift = await lab.plan({ now: manifests, base: manifests });
    const told = {
      what: "configured",
      name: "project",
      by: "Ada Brandt",
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      message: "Just this once\n\nOnly until Friday.",
      commit: expect.any(String),
    };
    const events = [told, { message: expect.stringMatching(/^Add rules for/) }, { message: "Created project" }];
    const happened = { action: "delete", risks: ["narrows-access"] };
    expect(drift.changes).toMatchObject([
      { action: "create", happened, events },
      { action: "create", happened, events },
    ]);
    expect(lab.asked()).toEqual(["listAccess", "getCommit", "getCommit", "getCommit"]);
  });

  test("who removed rules is told even if a person has to add them again", async () => {
    await using lab = await openLab();
    await lab.apply(rule());
    await setRulesByHand(lab, "platform/core", "By hand", { remove: ["push"] });
    lab.sandbox.change(({ review }) => {
      review.requireChange = true;
    });
    const { changes } = await lab.plan({ now: rule(), base: rule() });
    expect(changes).toMatchObject([{ action: "check", verdict: "drift", events: [{ message: "By hand" }, {}, {}] }]);
  });

  test("a service that does not report who changed the rules hides nothing else about the change", async () => {
    await using lab = await openLab({ wire: "documented" });
    await lab.apply(rule());
    await setRulesByHand(lab, "platform/core", "By hand", { remove: ["push"] });
    const { changes, unknown } = await lab.plan({ now: rule(), base: rule() });
    expect({ changes, unknown }).toMatchObject({ changes: [{ verdict: "drift", action: "create" }], unknown: [] });
    expect(changes[0]).not.toHaveProperty("events");
  });
});
