import { describe, expect, test } from "vitest";
import { basic } from "../asking.ts";
import { artifactsSandbox, file, post, send } from "./artifacts.ts";

describe("signing in", () => {
  test.each([
    ["Basic", { authorization: basic("ada", "ADA") }, 200],
    ["Bearer", { authorization: "Bearer ADA" }, 200],
    ["the product's key header", { "x-jfrog-art-api": "ADA" }, 200],
    ["the documents' key header", { "x-vendor-art-api": "ADA" }, 200],
    ["nothing", {}, 401],
    ["a wrong key", { "x-jfrog-art-api": "ada" }, 401],
  ])("%s", async (_, headers, status) => {
    const answer = await send(await artifactsSandbox(), "/api/repositories", { headers }, "");
    expect(answer.status).toBe(status);
    if (status === 401)
      expect(JSON.parse(answer.text)).toEqual({ errors: [{ status: 401, message: "Bad credentials" }] });
  });

  test.each([basic("ada", "ADA"), ""])("the token service does not accept %j", async (authorization) => {
    const headers = { "x-jfrog-art-api": "ADA" };
    expect((await send(await artifactsSandbox(), "/access/api/v1/tokens", { headers }, authorization)).status).toBe(
      401,
    );
  });

  test.each([
    ["PUT", "/libs/a"],
    ["DELETE", "/libs/a"],
    ["PUT", "/api/storage/libs/a?properties=x=1"],
    ["POST", "/api/trash/empty"],
  ])("is not enough for %s %s, which needs rights", async (method, path) => {
    const sandbox = await artifactsSandbox({ "libs/a": file() });
    const before = sandbox.state();
    expect((await send(sandbox, path, { method }, "Bearer REX")).status).toBe(403);
    expect(sandbox.state()).toEqual(before);
  });
});

describe("an issued token", () => {
  const life = 8 * 3600;

  test("signs in until it expires or is revoked, as does its reference", async () => {
    const sandbox = await artifactsSandbox();
    const created = await post(sandbox, "/access/api/v1/tokens", { expires_in: life, include_reference_token: true });
    const { token_id, access_token, reference_token } = JSON.parse(created.text);
    const status = async (token: string) => (await send(sandbox, "/api/repositories", {}, `Bearer ${token}`)).status;
    expect([await status(access_token), await status(reference_token)]).toEqual([200, 200]);
    sandbox.change(({ artifacts }) => {
      artifacts.now = "2026-06-01T08:00:00.000Z";
    });
    expect(await status(access_token)).toBe(401);
    sandbox.change(({ artifacts }) => {
      artifacts.now = "2026-06-01T01:00:00.000Z";
    });
    expect(await status(access_token)).toBe(200);
    await send(sandbox, `/access/api/v1/tokens/${token_id}`, { method: "DELETE" });
    expect(await status(access_token)).toBe(401);
  });

  test.each([
    [2 * 3600, 0, 400],
    [4 * 3600, 1, 400],
    [life, 1, 200],
    [0, 1, 200],
  ])("with a life of %i s is listed %i times, and revoking it answers %i", async (expires_in, listed, status) => {
    const sandbox = await artifactsSandbox();
    const { token_id } = JSON.parse((await post(sandbox, "/access/api/v1/tokens", { expires_in })).text);
    const { tokens } = JSON.parse((await send(sandbox, "/access/api/v1/tokens")).text);
    expect(tokens).toHaveLength(listed);
    expect((await send(sandbox, `/access/api/v1/tokens/${token_id}`, { method: "DELETE" })).status).toBe(status);
  });

  test("can be revoked again, with status 204", async () => {
    const sandbox = await artifactsSandbox();
    const { token_id } = JSON.parse((await post(sandbox, "/access/api/v1/tokens", { expires_in: life })).text);
    const revoke = async () => (await send(sandbox, `/access/api/v1/tokens/${token_id}`, { method: "DELETE" })).status;
    expect([await revoke(), await revoke()]).toEqual([200, 204]);
  });

  test("has errors in the form of the token service", async () => {
    const sandbox = await artifactsSandbox();
    const answers = [
      await send(sandbox, "/access/api/v1/tokens/none"),
      await send(sandbox, "/access/api/v1/tokens", {}, "Bearer nobody"),
    ];
    expect(answers.map(({ text }) => JSON.parse(text))).toEqual([
      { code: "NOT_FOUND", message: "Token not found" },
      { errors: [{ code: "UNAUTHORIZED", message: "Bad credentials" }] },
    ]);
  });

  test("is listed to its user and to administrators", async () => {
    const sandbox = await artifactsSandbox();
    await post(sandbox, "/access/api/v1/tokens", { expires_in: life });
    const seen = async (as: string) =>
      JSON.parse((await send(sandbox, "/access/api/v1/tokens", {}, `Bearer ${as}`)).text).tokens.length;
    expect([await seen("ADA"), await seen("REX")]).toEqual([1, 0]);
  });

  test("cannot have a scope or a description that is too long", async () => {
    const sandbox = await artifactsSandbox();
    for (const body of [{ scope: "s".repeat(501) }, { description: "d".repeat(1025) }])
      expect((await post(sandbox, "/access/api/v1/tokens", body)).status).toBe(400);
  });
});
