import { describe, expect, test } from "vitest";
import { openConnection } from "../../src/clients/connect.ts";
import { allServices } from "../../src/clients/find-service.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { openDirectLab, problemsOf } from "../support/lab.ts";
import { exampleOf, exampleWorld } from "../support/worlds/examples.ts";

describe("planning writes nothing", () => {
  test("for the example of every kind, whether its objects exist or not", async () => {
    for (const world of [exampleWorld(), defaultWorld()]) {
      await using lab = await openDirectLab({ world });
      for (const kind of kinds.keys()) {
        lab.sandbox.clear();
        await lab.tryPlan(await exampleOf(kind));
        expect([kind, ...new Set(lab.sandbox.requests().map(({ effect }) => effect))]).toEqual([kind, "read"]);
        expect(lab.sandbox.state(), kind).toEqual(world);
      }
    }
  });

  test("although every example whose objects exist has something to write", async () => {
    await using lab = await openDirectLab({ world: exampleWorld() });
    for (const kind of kinds.keys()) {
      const manifests = await exampleOf(kind);
      const state = kind === "AnalysisUser" ? manifests.now.replace("spec:", "metadata: { state: absent }\nspec:") : "";
      const plan = await lab.plan({ ...manifests, now: state || manifests.now });
      // A kind that can only be checked has no calls.
      const todo = kinds.get(kind)?.compile === undefined ? plan.changes : plan.calls;
      expect([kind, plan.unknown, todo.length > 0]).toEqual([kind, [], true]);
    }
  });
});

describe("a connection that may only read", () => {
  test("refuses every write before anything is sent", async () => {
    await using lab = await openDirectLab();
    for (const { role, operations } of allServices) {
      const writes = Object.keys(operations).filter((name) => operations[name]?.effect === "write");
      const connection = openConnection(
        {
          name: role,
          role,
          type: "any",
          url: `${lab.sandbox.url}/${role}`,
          wire: "product",
          limits: { concurrency: 1, timeout: 120_000, attempts: 1 },
        },
        { mode: "read", credentials: { is: "none" }, env: {} },
      );
      for (const operation of writes)
        expect(await problemsOf(connection.call(operation, {}))).toMatchObject([
          { code: "SP4004", service: role, operation },
        ]);
      await connection.close();
    }
    expect(lab.sandbox.requests()).toEqual([]);
  });
});
