import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openLab } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";
import { expectOneHeld } from "../../../support/tokens.ts";
import { held, live, now, open, results, token } from "./tokens.ts";

describe("AccessToken", () => {
  test("deletes every generation if declared absent", async () => {
    await using lab = await open(["deploy", 1], ["deploy (2)", 1], ["deploy (x)", 1], ["deployment", 1]);
    const report = await lab.apply(token({}, { state: "absent" }));
    expect(report.plan.changes).toMatchObject([{ action: "delete", risks: ["irreversible", "narrows-access"] }]);
    expect(results(report)).toEqual(["applied"]);
    expect(lab.asked()).toEqual(["listTokens", "revokeToken", "revokeToken", "listTokens"]);
    expect(live(lab)).toEqual(["deploy (x)", "deployment"]);
  });

  test("without deliver, two live tokens with one description are unknown, whatever is declared", async () => {
    await using lab = await open(["deploy", 1], ["deploy", 2]);
    for (const state of ["present", "absent"] as const) {
      const plan = await lab.plan(document("AccessToken", { description: "deploy" }, { state }));
      expect(plan.unknown).toMatchObject([{ problem: { code: "SP3010", message: expect.stringContaining("deploy") } }]);
      expect(plan.calls).toEqual([]);
    }
  });

  test("keeps the one of several live tokens that the sink holds, even if it is not the newest, and revokes the others", async () => {
    const declared = token({ scope: "applied-permissions/user" });
    await using lab = await open();
    await lab.apply(declared);
    lab.sandbox.change(({ artifacts }) => {
      const [own] = artifacts.tokens;
      if (own)
        artifacts.tokens.push(
          { ...own, token_id: "twin" },
          {
            ...{ ...own, token_id: "2", description: "deploy (2)" },
            scope: "applied-permissions/admin",
          },
        );
    });
    const before = held(lab);
    const report = await lab.apply(declared);
    expect(report.plan.changes).toMatchObject([
      { action: "update", note: 'its sink holds "deploy"; 2 others are left over', risks: ["narrows-access"] },
    ]);
    expect(report.plan.calls.map(({ operation }) => operation)).toEqual(["revokeToken", "revokeToken"]);
    expect(results(report)).toEqual(["applied"]);
    expect(held(lab)).toBe(before);
    expectOneHeld(lab.sandbox.state(), "artifacts", "deploy", before);
    expect((await lab.plan(declared)).changes).toEqual([]);
  });

  test("recognises a token in the sink that no journal mentions by asking the service", async () => {
    await using lab = await open();
    await lab.apply(token());
    const text = held(lab);
    await using other = await openLab({ world: lab.sandbox.state(), now });
    mkdirSync(join(other.folder, "secrets"));
    writeFileSync(join(other.folder, "secrets/deploy"), text, { mode: 0o600 });
    expect((await other.plan(token())).changes).toEqual([]);
    writeFileSync(join(other.folder, "secrets/deploy"), "another");
    expect((await other.plan(token())).changes).toMatchObject([
      { note: "the secret in its sink is not this token's", risks: ["secret-rotates"] },
    ]);
    expectOneHeld(lab.sandbox.state(), "artifacts", "deploy", text);
  });

  test("does not treat a file that others can read as a sink, and sends its content to no service", async () => {
    await using lab = await open(["deploy", 1]);
    mkdirSync(join(lab.folder, "secrets"));
    writeFileSync(join(lab.folder, "secrets/deploy"), "a password for something else", { mode: 0o644 });
    expect((await lab.plan(token())).changes).toEqual([]);
    expect(lab.asked()).toEqual(["listTokens"]);
  });

  test("treats several generations as an interrupted rotation: creates a new one and revokes all others", async () => {
    await using lab = await open(["deploy", 3], ["deploy (3)", 2], ["deploy (2)", 1]);
    const report = await lab.apply(token());
    expect(report.plan.changes).toMatchObject([
      {
        action: "update",
        note: "a rotation was interrupted, or two runs created a token each",
        events: [{ what: "created" }],
        fields: [{ path: ["deliver"], live: undefined }],
      },
    ]);
    expect(live(lab)).toEqual(["deploy (4)"]);
    expectOneHeld(lab.sandbox.state(), "artifacts", "deploy", held(lab));
  });

  test("without deliver, a new token needs a person, and several generations are unknown", async () => {
    await using lab = await open(["deploy", 70], ["twice", 1], ["twice (2)", 1]);
    const bare = (description: string, more = {}) => document("AccessToken", { description, ...more });
    const plan = await lab.plan(bare("new") + bare("deploy", { rotateBefore: "30d" }) + bare("twice"));
    expect(plan.changes).toMatchObject([
      { key: "deploy", action: "check", instruction: expect.stringContaining("deliver") },
      { key: "new", action: "check" },
    ]);
    expect(plan.unknown).toMatchObject([{ address: "artifacts/AccessToken/twice", problem: { code: "SP3010" } }]);
    expect(plan.calls).toEqual([]);
  });
});
