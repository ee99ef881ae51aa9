import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { tarOf, zipOf } from "../archives.ts";
import { artifactsSandbox, file, query, send } from "./artifacts.ts";

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
