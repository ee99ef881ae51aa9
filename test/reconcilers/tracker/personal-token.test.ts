import { describe, expect, test } from "vitest";
import { readerOf } from "../../../src/clients/connect.ts";
import { connect } from "../../../src/clients/index.ts";
import { pluginTokenOperations } from "../../../src/clients/tokens.ts";
import { trackerService } from "../../../src/clients/tracker/service.ts";
import { Secret } from "../../../src/core/secret.ts";
import { personalToken } from "../../../src/reconcilers/tracker/personal-token.ts";
import { openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { liveTokens } from "../../support/tokens.ts";
import { day, now, tokensOf } from "./personal-token/tokens.ts";

describe.each(["tracker", "wiki"] as const)("PersonalToken of the %s", (role) => {
  const { open, token, live, expectHeld, results } = tokensOf(role);

  test("creates a token, delivers it, and finds it as declared", async () => {
    await using lab = await open();
    expect(results(await lab.apply(token({ validFor: 6, rotateBefore: "30d" })))).toEqual(["applied"]);
    expectHeld(lab);
    expect((await lab.plan(token({ validFor: 6, rotateBefore: "30d" }))).changes).toEqual([]);
  });

  test("budget: one read for all tokens, one more for each that its sink holds, one write to create each, and one list for each other user", async () => {
    await using lab = await open();
    const two = token() + token({ description: "other", deliver: { file: "other" } });
    expect(results(await lab.apply(two))).toEqual(["applied", "applied"]);
    const reads = ["listTokens", "listTokens", "listTokens"];
    const proof = role === "tracker" ? "getMyself" : "getCurrentUser";
    expect(lab.asked()).toEqual(["listTokens", proof, "createToken", "createToken", ...reads]);
    await lab.plan(two);
    expect(lab.asked()).toEqual(reads);
  });

  test.each(["array", "page"] as const)("finds its tokens in a list that is a %s", async (tokenList) => {
    await using lab = await open([{ description: "robot" }], { tokenList });
    expect((await lab.plan(token({ validFor: 6 }))).changes).toEqual([]);
  });

  test("rotates a token that expires soon, and only then deletes the old one", async () => {
    await using lab = await open([{ description: "robot", ends: 20 }]);
    const manifest = token({ validFor: 6, rotateBefore: "30d" });
    const report = await lab.apply(manifest);
    expect(report.plan.changes).toMatchObject([
      { action: "update", risks: ["secret-rotates"], fields: [{ path: ["rotateBefore"], desired: "30d" }] },
    ]);
    expect(results(report)).toEqual(["applied"]);
    expect(lab.asked()).toEqual(["listTokens", "createToken", "deleteToken", "listTokens", "listTokens"]);
    expect(live(lab)).toEqual(["robot (2)"]);
    expectHeld(lab);
    expect((await lab.plan(manifest)).changes).toEqual([]);
  });

  test("does not rotate on every run: a person must state a validFor longer than rotateBefore", async () => {
    await using lab = await open([{ description: "robot", ends: 20 }]);
    const { changes } = await lab.plan(token({ rotateBefore: "200d" }));
    expect(changes).toMatchObject([
      { action: "check", instruction: expect.stringContaining("set validFor to more than 200d") },
    ]);
    expect(results(await lab.apply(token({ rotateBefore: "200d", validFor: 8 })))).toEqual(["applied"]);
  });

  test("a plan says when a token was last used and created, and a use does not make the plan out of date", async () => {
    await using lab = await open([{ description: "robot", ends: 20, used: 2 }]);
    const manifest = token({ validFor: 6, rotateBefore: "30d" });
    const used = await lab.plan(manifest);
    const at = (days: number) => new Date(now.getTime() + days * day).toISOString();
    expect(used.changes).toMatchObject([
      {
        events: [
          { what: "used", at: at(-2) },
          { what: "created", at: at(20 - 182) },
        ],
      },
    ]);
    lab.sandbox.change((world) => {
      for (const one of world[role].tokenPlugin.tokens) one.lastAccessed = 0;
    });
    const unused = await lab.plan(manifest);
    expect(unused.changes[0]?.events).toMatchObject([{ what: "created" }]);
    expect(unused.fingerprints).toEqual(used.fingerprints);
  });

  test("rotates a token even if the plugin does not return the id of the new one", async () => {
    await using lab = await open([{ description: "robot", ends: 20 }], { givesId: false });
    expect(results(await lab.apply(token({ rotateBefore: "30d" })))).toEqual(["applied"]);
    expectHeld(lab);
  });

  test("rotates no token for its age if the plugin does not report expiry", async () => {
    await using lab = await open([{ description: "robot", ends: 20 }], { tokenList: "array" });
    expect((await lab.plan(token({ validFor: 3, rotateBefore: "30d" }))).changes).toEqual([]);
  });

  test("rotates for another expiry: validFor in months of any length, expiresAt to the minute", async () => {
    await using lab = await open([{ description: "robot" }]);
    expect((await lab.plan(token({ validFor: 3 }))).changes).toMatchObject([
      { fields: [{ path: ["validFor"], live: 6, desired: 3 }] },
    ]);
    const expiresAt = new Date(now.getTime() + 50 * day).toISOString();
    const report = await lab.apply(token({ expiresAt }));
    expect(report.plan.calls[0]?.args).toEqual({
      tokenDescription: "robot (2)",
      tokenExpirationDateTimeMillis: Date.parse(expiresAt),
    });
    expect(results(report)).toEqual(["applied"]);
    expect((await lab.plan(token({ expiresAt: expiresAt.replace("Z", "+00:00") }))).changes).toEqual([]);
    // A server can drop the seconds.
    const stated = (seconds: number) =>
      token({ expiresAt: new Date(Date.parse(expiresAt) + seconds * 1000).toISOString() });
    expect((await lab.plan(stated(59))).changes).toEqual([]);
    expect((await lab.plan(stated(60))).changes).toMatchObject([{ fields: [{ path: ["expiresAt"] }] }]);
  });

  test("renamedFrom changes the description and nothing else, in one call and without a sink", async () => {
    await using lab = await open([{ description: "old name" }]);
    const manifest = token({ renamedFrom: "old name", deliver: undefined });
    const report = await lab.apply(manifest);
    expect(report.plan.changes).toMatchObject([
      { action: "update", risks: [], fields: [{ path: ["description"], live: "old name", desired: "robot" }] },
    ]);
    expect(lab.asked()).toEqual(["listTokens", "updateToken", "listTokens"]);
    expect(liveTokens(lab.sandbox.state(), role, "")).toEqual([{ description: "robot", texts: ["secret-of-0"] }]);
    expect((await lab.plan(manifest)).changes).toEqual([]);
  });

  test("does not delete a renamed token under its old description, which has left the manifests", async () => {
    await using lab = await open([{ description: "old name" }]);
    const renamed = { now: token({ renamedFrom: "old name" }), base: token({ description: "old name" }) };
    expect((await lab.apply(renamed)).plan.calls.map(({ operation }) => operation)).toEqual(["updateToken"]);
    expect(live(lab)).toEqual(["robot"]);
  });

  // The services differ in the addresses of their operations alone, and this is the longest of the tests.
  test.runIf(role === "tracker")(
    "a token that is renamed and rotated together is the only one left, wherever the run is killed",
    async () => {
      let kills = 0;
      for (let isKilled = true; isKilled; kills++) {
        let left = kills;
        await using lab = await open([{ description: "old name" }]);
        const road = lab.another({
          onStep: () => {
            if (left-- === 0) throw new Error("killed");
          },
        });
        const manifest = token({ renamedFrom: "old name", validFor: 3 });
        isKilled = await road.apply(manifest).then(
          () => false,
          () => true,
        );
        left = Number.POSITIVE_INFINITY;
        await road.apply(manifest);
        expect(live(lab)).toEqual([expect.stringMatching(/^robot/)]);
        expectHeld(lab);
        expect((await road.plan(manifest)).changes).toEqual([]);
      }
      expect(kills).toBeGreaterThan(8);
    },
  );

  test("never deletes a token under its former description", async () => {
    await using lab = await open([{ description: "old name" }]);
    const gone = await lab.apply(token({ renamedFrom: "old name" }, { state: "absent" }));
    expect(gone.plan.changes).toEqual([]);
    expect(live(lab)).toEqual(["old name"]);
  });

  test("deletes every generation if declared absent; without deliver, two live tokens of one description are unknown", async () => {
    await using lab = await open([
      { description: "robot" },
      { description: "robot (2)" },
      { description: "twin" },
      { description: "twin" },
    ]);
    const twin = document("PersonalToken", { description: "twin" }, { service: role });
    const report = await lab.apply(token({}, { state: "absent" }) + twin);
    expect(report.outcomes).toEqual([{ address: `${role}/PersonalToken/robot`, result: "applied" }]);
    expect(report.plan.unknown).toMatchObject([{ problem: { code: "SP3010" } }]);
    expect(live(lab)).toEqual(["twin", "twin"]);
  });

  test("works the same under wire: documented", async () => {
    await using lab = await open([{ description: "robot", ends: 20 }], {}, "documented");
    expect(results(await lab.apply(token({ rotateBefore: "30d" })))).toEqual(["applied"]);
    expectHeld(lab);
  });

  test("importing and then planning gives an empty plan", async () => {
    await using lab = await open([
      { description: "robot (2)" },
      { description: 'ü, "x"', ends: 50 },
      { description: "twin" },
      { description: "twin" },
      { description: "over", ends: -1 },
      { description: "theirs", user: "jdoe" },
    ]);
    const { client, close } = connect(
      { role, url: lab.sandbox.services[role].url },
      { mode: "read", credentials: { is: "basic", username: "admin", password: new Secret("secret") } },
    );
    const specs = (await personalToken.list?.(client, now)) ?? [];
    await close();
    expect(lab.asked()).toEqual(["listTokens"]);
    expect(specs).toEqual([
      { description: "robot", validFor: 6 },
      { description: 'ü, "x"', validFor: 6 },
    ]);
    const plan = await lab.plan(specs.map((spec) => token({ ...spec, deliver: undefined })).join(""));
    expect([plan.changes, plan.unknown, plan.inSync.length]).toEqual([[], [], 2]);
  });

  test.each([
    [{ validFor: 6, expiresAt: "2099-01-01T00:00:00Z" }, "either validFor or expiresAt"],
    [{ expiresAt: "2099-01-01" }, "a time with an offset"],
    [{ expiresAt: "2099-01-01T00:00:00Z", rotateBefore: "30d" }, "no rotateBefore with expiresAt"],
    [{ validFor: 1, rotateBefore: "28d" }, "every run would rotate"],
  ])("rejects %j", async (spec, words) => {
    await using lab = await open();
    expect(await problemsOf(lab.plan(token(spec)))).toMatchObject([
      { code: "SP1002", message: expect.stringContaining(words) },
    ]);
  });

  test("a token that the service refuses is a failed outcome in the service's words", async () => {
    await using lab = await open([], { longestMonths: 3 });
    const report = await lab.apply(token({ validFor: 6 }));
    expect(report.outcomes).toMatchObject([
      { result: "failed", problem: { message: expect.stringContaining("within the next 3 months") } },
    ]);
    expect((await lab.plan(token())).changes).toMatchObject([{ action: "create" }]);
  });
});

test("a token must select a service if the workspace has both", async () => {
  await using lab = await openLab();
  expect(await problemsOf(lab.plan(document("PersonalToken", { description: "robot" })))).toMatchObject([
    { code: "SP1009", message: expect.stringContaining("tracker or wiki") },
  ]);
});

test("an expiry that is not a date makes its token unknown, and does not abort the run", async () => {
  const answer = [{ id: 1, description: "deploy", created: 1, validUntil: 9e15 }];
  const { content } = pluginTokenOperations.listTokens.result.parse(answer);
  const nothing = readerOf(async () => [], { wire: "product" }, trackerService);
  const spec = personalToken.spec.parse({ description: "deploy", expiresAt: "2027-03-31T00:00:00Z" });
  const read = { ...nothing, listTokens: async () => ({ content, last: true }) };
  const found = await personalToken.observe(read, "tokens", [spec], new Date(0));
  expect(found.get("deploy")).toMatchObject({ is: "unknown", problem: { code: "SP3103" } });
});

test("a list of the caller's tokens that has more pages says nothing about those that it lacks", async () => {
  const nothing = readerOf(async () => [], { wire: "product" }, trackerService);
  const spec = personalToken.spec.parse({ description: "deploy", deliver: { file: "deploy" } });
  const read = { ...nothing, listTokens: async () => ({ content: [], last: false }) };
  const incomplete = [{ code: "SP3104", hint: expect.stringContaining("Set user") }];
  expect(await problemsOf(personalToken.observe(read, "tokens", [spec], new Date(0)))).toMatchObject(incomplete);
  expect(await problemsOf(personalToken.list?.(read, new Date(0)) ?? Promise.resolve())).toMatchObject(incomplete);
});
