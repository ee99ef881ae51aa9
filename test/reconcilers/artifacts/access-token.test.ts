import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TokenList } from "../../../src/clients/artifacts/records.ts";
import { artifactsService } from "../../../src/clients/artifacts/service.ts";
import { readerOf } from "../../../src/clients/connect.ts";
import { connect } from "../../../src/clients/index.ts";
import { Secret } from "../../../src/core/secret.ts";
import { accessToken } from "../../../src/reconcilers/artifacts/access-token.ts";
import { openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { expectOneHeld, filesBelow, tokenText } from "../../support/tokens.ts";
import { held, live, now, open, results, token, worldWith } from "./access-token/tokens.ts";

describe("AccessToken", () => {
  test("creates a token and delivers it to a file of mode 0600 that contains nothing else", async () => {
    await using lab = await open();
    expect(results(await lab.apply(token({ expiresIn: "90d" })))).toEqual(["applied"]);
    expectOneHeld(lab.sandbox.state(), "artifacts", "deploy", held(lab));
    expect(statSync(join(lab.folder, "secrets/deploy")).mode & 0o777).toBe(0o600);
    expect(Object.keys(filesBelow(lab.folder))).toEqual(["secrets/deploy"]);
    expect((await lab.plan(token({ expiresIn: "90d" }))).changes).toEqual([]);
  });

  test("budget: one read for all tokens, one more for each that its sink holds, and one write to create each", async () => {
    await using lab = await open();
    const three = ["a", "b", "c"].map((name) => token({ description: name, deliver: { file: name } })).join("");
    expect(results(await lab.apply(three))).toEqual(["applied", "applied", "applied"]);
    const creations = ["createToken", "createToken", "createToken"];
    const reads = ["listTokens", "getToken", "getToken", "getToken"];
    expect(lab.asked()).toEqual(["listTokens", ...creations, ...reads]);
    await lab.plan(three);
    expect(lab.asked()).toEqual(reads);
  });

  test("rotates a token that expires soon: creates, delivers, and only then revokes the old one", async () => {
    await using lab = await open(["deploy", 70]);
    const manifest = token({ expiresIn: "90d", rotateBefore: "30d" });
    const report = await lab.apply(manifest);
    expect(report.plan.changes).toMatchObject([
      {
        action: "update",
        risks: ["secret-rotates"],
        fields: [{ path: ["rotateBefore"], live: "ends 2026-12-11T12:00:00.000Z", desired: "30d" }],
      },
    ]);
    expect(results(report)).toEqual(["applied"]);
    expect(lab.asked()).toEqual(["listTokens", "createToken", "revokeToken", "listTokens", "getToken"]);
    expect(live(lab)).toEqual(["deploy (2)"]);
    expectOneHeld(lab.sandbox.state(), "artifacts", "deploy", held(lab));
    expect((await lab.plan(manifest)).changes).toEqual([]);
  });

  test("does not rotate on every run: a person must state a lifetime longer than rotateBefore", async () => {
    await using lab = await open();
    const endless = token({ rotateBefore: "400d" });
    const [created] = (await lab.apply(endless)).outcomes;
    expect(created).toMatchObject({
      result: "failed",
      problem: { code: "SP4001", hint: expect.stringContaining("set expiresIn to more than 400d") },
    });
    const again = await lab.apply(endless);
    expect(again.plan.changes).toMatchObject([
      { action: "check", instruction: expect.stringContaining("every run would rotate it") },
    ]);
    expect(live(lab)).toEqual(["deploy"]);
    expect(results(await lab.apply(token({ rotateBefore: "400d", expiresIn: "401d" })))).toEqual(["applied"]);
  });

  test("leaves a token alone that expires later or never", async () => {
    await using lab = await open(["deploy", 50]);
    expect((await lab.plan(token({ rotateBefore: "30d" }))).changes).toEqual([]);
    lab.sandbox.change(({ artifacts }) => {
      for (const one of artifacts.tokens) one.expires_in = 0;
    });
    expect((await lab.plan(token({ rotateBefore: "30d", expiresIn: "never" }))).changes).toEqual([]);
  });

  test("an expired token does not count: a new one is created and the old one revoked", async () => {
    await using lab = await open(["deploy", 100]);
    const report = await lab.apply(token());
    expect(report.plan.changes).toMatchObject([{ action: "create" }]);
    expect(live(lab)).toEqual(["deploy (2)"]);
    expectOneHeld(lab.sandbox.state(), "artifacts", "deploy", held(lab));
  });

  test("sends a user name in lower case, and ignores case when comparing", async () => {
    await using lab = await open();
    const report = await lab.apply(token({ username: "JDoe" }));
    expect([results(report), report.plan.calls[0]?.args]).toMatchObject([["applied"], { username: "jdoe" }]);
    for (const username of ["JDoe", "jdoe"]) expect((await lab.plan(token({ username }))).changes).toEqual([]);
  });

  test("ignores the order of scopes, some of which have spaces in a name, but not a scope more or less", async () => {
    await using lab = await open();
    const [metrics, group] = ["system:metrics:r", 'applied-permissions/groups:"Release Managers"'];
    await lab.apply(token({ scope: `${metrics} ${group}` }));
    expect((await lab.plan(token({ scope: `${group}  ${metrics} ${group}` }))).changes).toEqual([]);
    for (const scope of [
      metrics,
      `${group} ${metrics} applied-permissions/user`,
      `${group.replace(" ", "  ")} ${metrics}`,
    ])
      expect((await lab.plan(token({ scope }))).changes).toMatchObject([{ fields: [{ path: ["scope"] }] }]);
  });

  test("rotates for another scope, user or lifetime, and keeps the rest", async () => {
    await using lab = await open(["deploy", 1]);
    const report = await lab.apply(token({ scope: "applied-permissions/admin", username: "jdoe" }));
    expect(report.plan.changes).toMatchObject([
      { action: "update", risks: ["secret-rotates", "widens-access", "narrows-access"] },
    ]);
    expect(report.plan.calls[0]?.args).toEqual({
      description: "deploy (2)",
      scope: "applied-permissions/admin",
      username: "jdoe",
      expires_in: 90 * 86_400,
    });
    expect(results(report)).toEqual(["applied"]);
    expect((await lab.plan(token({ expiresIn: "2160h" }))).changes).toEqual([]);
    expect((await lab.plan(token({ expiresIn: "7776000000ms" }))).changes).toEqual([]);
    expect((await lab.plan(token({ expiresIn: "30d" }))).changes).toMatchObject([
      { fields: [{ path: ["expiresIn"], live: "90d", desired: "30d" }] },
    ]);
  });

  /** @see docs/facts.md, Artifacts: a new token's id and type */
  test.each(["id", "type"])("has no field %s, which the service chooses itself", async (field) => {
    await using lab = await open();
    expect(await problemsOf(lab.plan(token({ [field]: "release-pipeline" })))).toMatchObject([{ code: "SP1004" }]);
  });

  test("delivers the reference token if requested", async () => {
    await using lab = await open();
    await lab.apply(token({ referenceToken: true }));
    expect(held(lab)).toMatch(/^ref-/);
  });

  test("importing and then planning gives an empty plan, without ambiguous or expired tokens", async () => {
    await using lab = await open(["deploy (3)", 1], ['ü, "x"', 2], ["twice", 1], ["twice", 1], ["over", 100]);
    const { url } = lab.sandbox.services.artifacts;
    const { client, close } = connect(
      { role: "artifacts", url, urls: { auth: `${url}/access` } },
      { mode: "read", credentials: { is: "token", token: new Secret("secret") } },
    );
    const specs = (await accessToken.list?.(client, now)) ?? [];
    await close();
    expect(lab.asked()).toEqual(["listTokens"]);
    expect(specs).toEqual(
      ["deploy", 'ü, "x"'].map((description) => ({
        description,
        scope: "applied-permissions/user",
        username: "admin",
        expiresIn: "90d",
        referenceToken: false,
      })),
    );
    const plan = await lab.plan(specs.map((spec) => document("AccessToken", spec)).join(""));
    expect([plan.changes, plan.unknown, plan.inSync.length]).toEqual([[], [], 2]);
  });

  test("a token with a missing or unreadable description does not affect the others", async () => {
    const told = { token_id: "1", description: "deploy", scope: "s", subject: "x/users/u", issued_at: 1, expiry: 0 };
    const tokens = [told, { token_id: "2", description: null }, { token_id: "3" }, { token_id: "4", description: 7 }];
    const list = TokenList.parse({ tokens });
    const nothing = readerOf(async () => [], { wire: "product" }, artifactsService);
    const read = { ...nothing, listTokens: async () => list };
    const spec = { description: "deploy", scope: "s", username: "u", referenceToken: false };
    expect(await accessToken.list?.(read, now)).toEqual([spec]);
    const found = await accessToken.observe(read, "tokens", [spec, { ...spec, description: "new" }], now);
    // The fourth token might be the missing one.
    expect([...found].map(([key, { is }]) => [key, is])).toEqual([
      ["deploy", "present"],
      ["new", "unknown"],
    ]);
    const without = { ...read, listTokens: async () => ({ tokens: list.tokens.slice(0, 3) }) };
    expect((await accessToken.observe(without, "tokens", [{ ...spec, description: "new" }], now)).get("new")?.is).toBe(
      "absent",
    );
  });

  test("a subject in an unknown format is unknown if the manifest states a user", async () => {
    const list = TokenList.parse({ tokens: [{ token_id: "1", description: "deploy", subject: "cn=robot" }] });
    const read = {
      ...readerOf(async () => [], { wire: "product" }, artifactsService),
      listTokens: async () => list,
    };
    const spec = { description: "deploy", referenceToken: false };
    const seen = async (more: object) =>
      (await accessToken.observe(read, "tokens", [{ ...spec, ...more }], now)).get("deploy")?.is;
    expect([await seen({}), await seen({ username: "robot" })]).toEqual(["present", "unknown"]);
    const endless = { token_id: "1", description: "deploy", scope: "s", subject: `${"/users/s".repeat(200_000)}\n` };
    const listTokens = async () => TokenList.parse({ tokens: [endless] });
    expect(await accessToken.list?.({ ...read, listTokens }, now)).toHaveLength(1);
  });

  test("under wire: documented, a token can be created, and a change that requires a revocation needs a person", async () => {
    const world = worldWith(["old", 70]);
    await using lab = await openLab({ world, now, wire: "documented" });
    const old = token({ description: "old", rotateBefore: "30d", deliver: { file: "old" } });
    const report = await lab.apply(token() + old);
    expect(report.outcomes).toEqual([{ address: "artifacts/AccessToken/deploy", result: "applied" }]);
    expect(report.plan.changes.filter(({ action }) => action === "check")).toMatchObject([
      {
        address: "artifacts/AccessToken/old",
        instruction: expect.stringContaining("is not in the service's API documents"),
      },
    ]);
    expect(live(lab)).toEqual(["old", "deploy"]);
  });

  test.each([
    ["expiresIn", { expiresIn: "2h" }, "recreated on every run"],
    ["expiresIn", { expiresIn: "5h" }, "cannot revoke"],
    ["expiresIn", { expiresIn: "soon" }, "expected a duration such as 500ms, 12h, 90d or 2w, or never"],
    ["rotateBefore", { expiresIn: "30d", rotateBefore: "30d" }, "every run would rotate"],
    ["description", { description: "deploy (2)" }, "rotations add one"],
    ["deliver", { deliver: { file: "../outside" } }, "below the folder"],
    ["deliver", { deliver: { file: "/etc/token" } }, "below the folder"],
    ["deliver", { deliver: { dotenv: ".git/config", name: "A" } }, "below the folder"],
    ["deliver", { deliver: { dotenv: "a", name: "A-B" } }, "letters, digits"],
  ])("rejects an invalid %s: %j", async (_field, spec, words) => {
    await using lab = await open();
    expect(await problemsOf(lab.plan(token(spec)))).toMatchObject([
      { code: "SP1002", message: expect.stringContaining(words) },
    ]);
    expect(lab.asked()).toEqual([]);
  });

  test("keeps the other lines of a dotenv file", async () => {
    await using lab = await open();
    const path = join(lab.folder, "ci.env");
    writeFileSync(path, "# ours\nHOST=example.com\nexport TOKEN='old one'\nNOTE=\"two words\"", { mode: 0o644 });
    expect(results(await lab.apply(token({ deliver: { dotenv: "ci.env", name: "TOKEN" } })))).toEqual(["applied"]);
    const [secret = ""] = /access-\w+/.exec(held(lab, "ci.env")) ?? [];
    expectOneHeld(lab.sandbox.state(), "artifacts", "deploy", secret);
    expect(held(lab, "ci.env")).toBe(`# ours\nHOST=example.com\nexport TOKEN=${secret}\nNOTE="two words"`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("plan, journal and report do not show a token, although it was read", async () => {
    await using lab = await open(["deploy", 70]);
    const report = await lab.apply(token({ rotateBefore: "30d", expiresIn: "90d" }));
    expect(held(lab)).toMatch(tokenText);
    expect(JSON.stringify([report, lab.journal])).not.toMatch(tokenText);
  });
});
