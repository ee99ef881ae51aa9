import { describe, expect, test } from "vitest";
import { defaultWorld } from "../../../src/sandbox/default-world.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { sandboxForTest } from "../asking.ts";
import { artifactsSandbox, file, post, query, send } from "./artifacts.ts";

async function namesFound(sandbox: Sandbox, text: string): Promise<unknown> {
  const { results }: { readonly results: readonly { readonly name?: string }[] } = JSON.parse(
    (await query(sandbox, text)).text,
  );
  return results.map(({ name }) => name);
}

describe("queries", () => {
  const items = {
    "libs/old.jar": file("2026-01-01T00:00:00.000Z", { state: ["x", "done"], owner: ["jo"] }),
    "libs/a/new.jar": file("2026-05-31T00:00:00.000Z", { state: ["x"] }),
    "libs/a/b/mid.zip": file("2026-05-01T00:00:00.000Z"),
    "auto-trashcan/libs/gone.jar": file(),
  };

  test.each([
    ["items.find()", ["mid.zip", "new.jar", "old.jar"]],
    ['items.find({"name":{"$match":"*.jar"}})', ["new.jar", "old.jar"]],
    ['items.find({"name":{"$nmatch":"*.jar"}})', ["mid.zip"]],
    ['items.find({created:{$before:"4w"}})', ["mid.zip", "old.jar"]],
    ['items.find({"created":{"$before":"3days"}})', ["mid.zip", "old.jar"]],
    ['items.find({"created":{"$last":"2d"}})', ["new.jar"]],
    ['items.find({"created":{"$gt":"2026-05-01"}})', ["new.jar"]],
    ['items.find({"depth":{"$gte":2},"repo":"libs"})', ["mid.zip", "new.jar"]],
    ['items.find({"depth":1},{"path":"."})', ["old.jar"]],
    ['items.find({"type":"folder","depth":1})', ["a"]],
    ['items.find({"type":"any","depth":1})', ["a", "old.jar"]],
    ['items.find({"@state":"done"})', ["old.jar"]],
    ['items.find({"@state":{"$ne":"x"}})', ["old.jar"]],
    ['items.find({"@owner":"*"})', ["old.jar"]],
    ['items.find({"$or":[{"name":"old.jar"},{"name":"mid.zip"}]})', ["mid.zip", "old.jar"]],
    ['items.find({"$and":[{"name":"old.jar"},{"repo":"other"}]})', []],
    ['items.find({"$msp":[{"@state":{"$match":"d*"}},{"@state":{"$ne":"x"}}]})', ["old.jar"]],
    ['items.find().sort({"$asc":["created"]})', ["old.jar", "mid.zip", "new.jar"]],
    ['items.find().sort({$desc:["size","name"]}).offset(1).limit(1)', ["new.jar"]],
  ])("%s", async (text, names) => {
    expect(await namesFound(await artifactsSandbox(items), text)).toEqual(names);
  });

  test("sort by time, with and without milliseconds", async () => {
    const early = file("2026-01-01T00:00:00Z");
    const sandbox = await artifactsSandbox({ "libs/late": file("2026-01-01T00:00:00.500Z"), "libs/early": early });
    expect(await namesFound(sandbox, 'items.find().sort({"$asc":["created"]})')).toEqual(["early", "late"]);
  });

  test("include the checksums that the official client asks for", async () => {
    const text = 'items.find({"name":"telemetry-2.4.jar"}).include("name","repo","path","actual_md5")';
    const headers = { "content-type": "text/plain" };
    const sandbox = await sandboxForTest({ world: defaultWorld() });
    const answer = await send(sandbox, "/api/search/aql", { method: "POST", headers, body: text }, "Bearer secret");
    expect(JSON.parse(answer.text).results).toMatchObject([{ actual_md5: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
  });

  test("for builds find them newest first on request", async () => {
    const sandbox = await sandboxForTest({ world: defaultWorld() });
    const text =
      'builds.find({"name":{"$match":"telemetry*"}}).include("number","created").sort({$desc:["created"]}).limit(1)';
    const headers = { "content-type": "text/plain" };
    const answer = await send(sandbox, "/api/search/aql", { method: "POST", headers, body: text }, "Bearer secret");
    expect(JSON.parse(answer.text)).toEqual({
      results: [{ number: "42", created: "2026-09-14T09:30:00.000Z" }],
      range: { start_pos: 0, end_pos: 1, total: 1, limit: 1 },
    });
  });

  test.each([
    "",
    "items",
    "items.find(",
    "items.find({)",
    "items.find({}) x",
    "files.find()",
    'items.find({"name":{"$regex":"x"}})',
    'items.find({"colour":"red"})',
    'items.find({"created":{"$before":"soon"}})',
    'items.find({"$or":{}})',
    "items.find().limit(-1)",
    "items.find().limit(1).limit(2)",
    'items.find().limit(1).sort({"$asc":["name"]})',
    'items.find().include("name").sort({"$asc":["size"]})',
    'items.find({"name":"none"}).include("colour")',
    "items.include()",
    'items.find().sort({"$up":["name"]})',
    'items.find().include("colour")',
    'items.find({"name":"a\n"})',
    `items.find({"name":"${"x".repeat(6000)}"})`,
  ])("that are invalid are refused: %s", async (text) => {
    expect((await query(await artifactsSandbox(items), text)).status).toBe(400);
  });

  test("of users other than administrators must include the fields by which rights are looked up", async () => {
    const sandbox = await artifactsSandbox(items);
    const status = async (text: string) =>
      (await send(sandbox, "/api/search/aql", { method: "POST", body: Buffer.from(text) }, "Bearer MAX")).status;
    expect(await status("items.find()")).toBe(200);
    expect(await status('items.find().include("name","path")')).toBe(400);
  });

  test("can be uploaded as a file, without a media type", async () => {
    const body = Buffer.from('items.find({"name":"old.jar"})');
    const answer = await send(await artifactsSandbox(items), "/api/search/aql", { method: "POST", body });
    expect([answer.status, JSON.parse(answer.text).results]).toMatchObject([200, [{ name: "old.jar" }]]);
  });

  test("of another media type are refused", async () => {
    expect((await post(await artifactsSandbox(), "/api/search/aql", "items.find()")).status).toBe(415);
  });
});
