import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { tarOf, zipOf } from "../archives.ts";
import { basic } from "../asking.ts";
import { artifactsSandbox, file, post, query, send } from "./artifacts.ts";

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

describe("deploying", () => {
  test("keeps only the size and checksums of a file that exceeds the limit of other bodies", async () => {
    const sandbox = await artifactsSandbox();
    const answer = await send(sandbox, "/libs/big", { method: "PUT", body: Buffer.alloc(11 * 1024 * 1024) });
    expect([answer.status, JSON.parse(answer.text).size]).toEqual([201, String(11 * 1024 * 1024)]);
    expect(JSON.stringify(sandbox.state()).length).toBeLessThan(10_000);
    expect((await query(sandbox, " ".repeat(10 * 1024 * 1024 + 1))).status).toBe(413);
  });

  test.each([
    ["a virtual repository without a target", "/all/x", 405],
    ["a remote repository", "/far/x", 405],
    ["an unknown repository", "/none/x", 404],
    ["the place of a folder", "/libs/dir", 409],
    ["a place below a file", "/libs/dir/a/b", 409],
    ["a path with a slash at its end, without an archive to explode", "/libs/x/", 400],
  ])("to %s is refused", async (_, path, status) => {
    const sandbox = await artifactsSandbox({ "libs/dir/a": file() });
    expect((await send(sandbox, path, { method: "PUT", body: "x" })).status).toBe(status);
  });

  test.each(["x-checksum", "x-checksum-md5", "x-checksum-sha1", "x-checksum-sha256"])(
    "with a checksum other than the file's is refused: %s",
    async (name) => {
      const init = { method: "PUT", body: "x", headers: { [name]: "0" } };
      expect((await send(await artifactsSandbox(), "/libs/x", init)).status).toBe(409);
    },
  );

  /** @see docs/facts.md, Artifacts: a Maven repository stores a snapshot under a name with the time */
  test("of a snapshot to a Maven repository is not modelled", async () => {
    const sandbox = await artifactsSandbox();
    sandbox.change(({ artifacts }) => {
      artifacts.repositories.push({ key: "maven", type: "LOCAL", packageType: "maven", members: [] });
    });
    const put = async (path: string) => (await send(sandbox, path, { method: "PUT", body: "x" })).status;
    expect(await put("/maven/acme/core/1.0-SNAPSHOT/core-1.0-SNAPSHOT.jar")).toBe(501);
    expect(await put("/maven/acme/core/1.0-SNAPSHOT/core-1.0-20260920.120000-1.jar")).toBe(201);
    expect(await put("/libs/acme/core/1.0-SNAPSHOT/core-1.0-SNAPSHOT.jar")).toBe(201);
  });

  test("answers with the same facts as a later request for the file's information", async () => {
    const sandbox = await artifactsSandbox();
    const md5 = createHash("md5").update("x").digest("hex");
    const init = { method: "PUT", body: "x", headers: { "x-checksum": md5 } };
    const deployed = JSON.parse((await send(sandbox, "/libs/a/x.json", init)).text);
    const stamp = "2026-06-01T00:00:00.000Z";
    expect(deployed).toMatchObject({
      ...{ repo: "libs", path: "/a/x.json", mimeType: "application/json", size: "1", modifiedBy: "ada" },
      ...{ lastModified: stamp, lastUpdated: stamp, checksums: { md5 }, originalChecksums: { md5 } },
    });
    const { uri, ...told } = deployed;
    expect(JSON.parse((await send(sandbox, "/api/storage/libs/a/x.json")).text)).toMatchObject(told);
    expect(uri).toBe(deployed.downloadUri);
  });

  test.each([
    ["a tar", tarOf({ "./a/b.txt": "text" })],
    ["a gzipped tar", gzipSync(tarOf({ "a/b.txt": "text" }))],
    ["a zip", zipOf({ "a/b.txt": "text", "c/": "" })],
    ["an archive at a file's path, beside it", zipOf({ "a/b.txt": "text" }), "/libs/site/x.zip"],
  ])("explodes %s", async (_, archive, path = "/libs/site/") => {
    const sandbox = await artifactsSandbox();
    const init = { method: "PUT", headers: { "x-explode-archive": "true" }, body: archive };
    expect((await send(sandbox, path, init)).status).toBe(200);
    expect(Object.keys(sandbox.state().artifacts.items).sort()).toEqual([
      "libs/site",
      "libs/site/a",
      "libs/site/a/b.txt",
    ]);
    expect(sandbox.state().artifacts.items["libs/site/a/b.txt"]?.file?.size).toBe(4);
  });

  test("keeps names that do not fit into a header", async () => {
    const sandbox = await artifactsSandbox();
    const path = `${"a".repeat(120)}/${"ü".repeat(120)}.txt`;
    const init = { method: "PUT", headers: { "x-explode-archive": "true" }, body: tarOf({ [path]: "text" }) };
    expect((await send(sandbox, "/libs/site/", init)).status).toBe(200);
    expect(Object.keys(sandbox.state().artifacts.items)).toContain(`libs/site/${path}`);
  });

  const declaredLarge = zipOf({ a: "text" });
  declaredLarge.writeUInt32LE(2 ** 30, declaredLarge.indexOf("PK\x01\x02") + 24);
  const damaged = tarOf({ a: "text" });
  damaged.write("b");

  test.each([
    ["text", Buffer.from("no archive at all")],
    ["nothing", Buffer.alloc(0)],
    ["a zip that was cut off", zipOf({ a: "text" }).subarray(0, 40)],
    ["a zip that would be too large", declaredLarge],
    ["a tar that was cut off", tarOf({ a: "text".repeat(200) }).subarray(0, 1024)],
    ["a tar with a damaged header", damaged],
    ["a gzipped tar that was cut off", gzipSync(tarOf({ a: "text" })).subarray(0, 40)],
    ["a tar that leads outside", tarOf({ "../../a": "text" })],
  ])("refuses %s as an archive", async (_, archive) => {
    const init = { method: "PUT", headers: { "x-explode-archive": "true" }, body: archive };
    expect((await send(await artifactsSandbox(), "/libs/site/", init)).status).toBe(400);
  });
});

describe("properties", () => {
  const set = (sandbox: Sandbox, text: string) => send(sandbox, `/api/storage/libs/dir?${text}`, { method: "PUT" });

  test("are also set below a folder by default", async () => {
    const sandbox = await artifactsSandbox({ "libs/dir/a": file() });
    const of = (key: string) => sandbox.state().artifacts.items[key]?.properties;
    expect((await set(sandbox, "properties=k=1&recursive=0")).status).toBe(204);
    expect([of("libs/dir"), of("libs/dir/a")]).toEqual([{ k: ["1"] }, {}]);
    await set(sandbox, "properties=k=2,2,3%7Cl=%5C%2C;m=x");
    expect([of("libs/dir"), of("libs/dir/a")]).toEqual(Array(2).fill({ k: ["2", "3"], l: [","], m: ["x"] }));
  });

  test("are not found if there are none, like an item that does not exist", async () => {
    const sandbox = await artifactsSandbox({ "libs/dir/a": file() });
    for (const path of ["libs/dir/a", "libs/none", "none/a"]) {
      const none = await send(sandbox, `/api/storage/${path}?properties`);
      expect([none.status, JSON.parse(none.text).errors[0].message]).toEqual([404, "No properties could be found."]);
    }
    expect((await send(sandbox, "/api/storage/libs/none?properties=a=1", { method: "PUT" })).status).toBe(404);
  });

  test.each(["a%20b=1", "a", "=1", "a[0]=1", "1=a", "_a=1"])("written as %s are refused", async (text) => {
    expect((await set(await artifactsSandbox({ "libs/dir/a": file() }), `properties=${text}`)).status).toBe(400);
  });
});

describe("builds", () => {
  const retain = async (body: unknown) => {
    const sandbox = await artifactsSandbox();
    sandbox.change(({ artifacts }) => {
      const days = ["01", "02", "03", "04"];
      artifacts.builds.b = Object.fromEntries(
        days.map((day, index) => [
          `${index + 1}`,
          { started: `2026-05-${day}T00:00:00.000Z`, properties: {}, artifacts: [], statuses: [] },
        ]),
      );
    });
    const answer = await post(sandbox, "/api/build/retention/b?async=false", body);
    return [answer.status, Object.keys(sandbox.state().artifacts.builds.b ?? {})];
  };

  test.each([
    [{ count: 2 }, ["3", "4"]],
    [{ count: "2", minimumBuildDate: null }, ["3", "4"]],
    [{ count: 1, buildNumbersNotToBeDiscarded: [1] }, ["1", "4"]],
    [{ count: 2, buildNumbersNotToBeDiscarded: ["4"] }, ["2", "3", "4"]],
    [{ minimumBuildDate: Date.UTC(2026, 4, 3) }, ["3", "4"]],
    [{ minimumBuildDate: "2026-05-04T00:00:00.000+0000" }, ["4"]],
    [{}, ["1", "2", "3", "4"]],
  ])("retention by %j keeps %j", async (body, kept) => {
    expect(await retain(body)).toEqual([204, kept]);
  });

  test.each([{ count: 0 }, { count: "few" }, { minimumBuildDate: "soon" }])(
    "retention by %j is refused",
    async (body) => {
      expect(await retain(body)).toEqual([400, ["1", "2", "3", "4"]]);
    },
  );

  test("are listed newest first, with and without milliseconds in their times", async () => {
    const sandbox = await artifactsSandbox();
    sandbox.change(({ artifacts }) => {
      const build = { properties: {}, artifacts: [], statuses: [] };
      artifacts.builds.b = {
        early: { ...build, started: "2026-05-01T00:00:00Z" },
        late: { ...build, started: "2026-05-01T00:00:00.500Z" },
      };
    });
    const { buildsNumbers } = JSON.parse((await send(sandbox, "/api/build/b")).text);
    expect(buildsNumbers).toMatchObject([{ uri: "/late" }, { uri: "/early" }]);
  });

  test("of an unknown name are not found", async () => {
    expect((await send(await artifactsSandbox(), "/api/build/none")).status).toBe(404);
  });
});

describe("the registry", () => {
  test("returns n names from a position, with a link while there are more", async () => {
    const manifests = ["a", "b", "c"].map((tag) => [`libs/team/app/${tag}/manifest.json`, file()]);
    const sandbox = await artifactsSandbox(Object.fromEntries(manifests));
    const path = "/api/docker/libs/v2/team/app/tags/list";
    const first = await send(sandbox, `${path}?n=2`);
    expect([JSON.parse(first.text).tags, first.headers.get("link")]).toEqual([
      ["a", "b"],
      `<${path}?last=2&n=2>; rel="next"`,
    ]);
    const rest = await send(sandbox, `${path}?n=2&last=2`);
    expect([JSON.parse(rest.text).tags, rest.headers.get("link")]).toEqual([["c"], null]);
    expect((await send(sandbox, "/api/docker/libs/v2/team/none/tags/list")).status).toBe(404);
    for (const n of ["", "few", "-1"])
      for (const name of ["n", "last"]) expect((await send(sandbox, `${path}?${name}=${n}`)).status).toBe(400);
  });

  test("promotes all tags if the official client leaves them empty", async () => {
    const sandbox = await artifactsSandbox({ "libs/team/app/1/manifest.json": file() });
    const left = { targetDockerRepository: "", tag: "", targetTag: "" };
    const image = { targetRepo: "libs", dockerRepository: "team/app", ...left };
    expect((await post(sandbox, "/api/docker/libs/v2/promote", image)).text).toContain(
      "Source and target are the same",
    );
  });

  test.each([
    ["far", 400],
    ["all", 404],
  ])(
    "refuses to promote to %s, which is not local; the promotion of a build there answers %i",
    async (targetRepo, status) => {
      const sandbox = await artifactsSandbox({ "libs/team/app/1/manifest.json": file() });
      sandbox.change(({ artifacts }) => {
        artifacts.builds.b = { "1": { started: "2026-05-01T00:00:00Z", properties: {}, artifacts: [], statuses: [] } };
      });
      const image = { targetRepo, dockerRepository: "team/app" };
      expect((await post(sandbox, "/api/docker/libs/v2/promote", image)).status).toBe(400);
      expect((await post(sandbox, "/api/build/promote/b/1", { targetRepo })).status).toBe(status);
    },
  );
});

test("a virtual repository shows the items of its members as its own", async () => {
  const sandbox = await artifactsSandbox({ "libs/a": file() });
  expect(JSON.parse((await send(sandbox, "/api/storage/all/a")).text)).toMatchObject({ repo: "all", path: "/a" });
});

test("a deleted item is in the trash, with everything below it, until the trash is cleaned", async () => {
  const sandbox = await artifactsSandbox({ "libs/a/b": file() });
  expect((await send(sandbox, "/libs/a", { method: "DELETE" })).status).toBe(204);
  const kept = () => Object.keys(sandbox.state().artifacts.items).filter((key) => key.endsWith("/b"));
  expect(kept()).toEqual(["auto-trashcan/libs/a/b"]);
  expect((await send(sandbox, "/api/trash/clean/libs/c", { method: "DELETE" })).status).toBe(404);
  expect((await send(sandbox, "/api/trash/clean/libs/a", { method: "DELETE" })).status).toBe(200);
  expect(kept()).toEqual([]);
});

test("a folder is listed to the requested depth, with itself and its folders on request", async () => {
  const sandbox = await artifactsSandbox({ "libs/a/b/c": file(), "libs/a/d": file(undefined, { k: ["1"] }) });
  const listed = async (query: string) => {
    const { files } = JSON.parse((await send(sandbox, `/api/storage/libs/a?list${query}`)).text);
    return files.map(({ uri }: { readonly uri: string }) => uri);
  };
  expect(await listed("")).toEqual(["/d"]);
  expect(await listed("&listFolders=1&includeRootPath=1")).toEqual(["/", "/b", "/d"]);
  expect(await listed("&deep=1")).toEqual(["/b/c", "/d"]);
  expect(await listed("&deep=1&depth=1&listFolders=1")).toEqual(["/b", "/d"]);
  for (const refused of ["/d?list", "?list&deep=1&depth=x"])
    expect((await send(sandbox, `/api/storage/libs/a${refused}`)).status).toBe(400);
});

test("a repository's details include its class and package type, and those of a virtual one its members", async () => {
  const sandbox = await artifactsSandbox();
  const detail = async (key: string) => JSON.parse((await send(sandbox, `/api/repositories/${key}`)).text);
  expect(await detail("libs")).toEqual({ key: "libs", type: "LOCAL", rclass: "local", packageType: "generic" });
  expect(await detail("all")).toMatchObject({ rclass: "virtual", repositories: ["libs"] });
  expect((await send(sandbox, "/api/repositories/none")).status).toBe(400);
});
