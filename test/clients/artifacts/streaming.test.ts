import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { isObject } from "../../../src/core/text/json.ts";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { isNightly } from "../../support/measured.ts";
import { problemOf, serveLoopback, serviceOf, testClock, tokenCredentials } from "../fixtures.ts";

const program = fileURLToPath(new URL("../../support/deploy-file.ts", import.meta.url));
const mebibyte = 1024 * 1024;

function fileOf(size: number, name = "big.bin"): string {
  const folder = mkdtempSync(join(tmpdir(), "deploy-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, name);
  writeFileSync(file, "");
  truncateSync(file, size);
  return file;
}

async function deployElsewhere(
  size: number,
): Promise<{ readonly growth: number; readonly stored: number | undefined }> {
  const sandbox = await sandboxForTest();
  const argv = [program, sandbox.services.artifacts.url, fileOf(size)];
  const { stdout } = await promisify(execFile)(process.execPath, argv);
  const { before, after } = JSON.parse(stdout);
  const item = sandbox.state().artifacts.items["libs-snapshot-local/big.bin"];
  return { growth: (after - before) / 1024, stored: item?.file?.size };
}

test("a file of 64 MiB is deployed within 50 MiB of memory", async () => {
  const size = 64 * mebibyte;
  const { growth, stored } = await deployElsewhere(size);
  expect(stored).toBe(size);
  expect(growth).toBeLessThan(50);
});

test.runIf(isNightly)("a file of 2 GiB is deployed within 100 MiB of memory", async () => {
  const size = 2048 * mebibyte;
  const { growth, stored } = await deployElsewhere(size);
  expect(stored).toBe(size);
  expect(growth).toBeLessThan(100);
});

test("the length of a file is sent, and its timeout depends on its size", async () => {
  const limits: number[] = [];
  const clock = testClock();
  const url = await serveLoopback((request, response) => {
    request.resume().on("end", () => {
      const headers = { "content-type": "application/json" };
      response.writeHead(201, headers).end(JSON.stringify({ size: request.headers["content-length"] }));
    });
  });
  const connection = openConnection(serviceOf("artifacts", { url }), {
    mode: "write",
    credentials: tokenCredentials,
    clock: {
      ...clock,
      timeout: (milliseconds, act) => {
        limits.push(milliseconds);
        return clock.timeout(milliseconds, act);
      },
    },
  });
  onTestFinished(() => connection.close());
  const file = fileOf(3_000_000);
  expect(await connection.call("deployFile", { repoKey: "r", path: "p", file })).toEqual({ size: 3_000_000 });
  expect(limits).toEqual([120_000 + 3_000]);
});

test("the checksum of a file is sent to the product, which then refuses what was damaged on the way", async () => {
  const url = await serveLoopback(({ headers }, response) => {
    response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(headers));
  });
  const file = fileOf(0);
  const sha256 = hash("sha256", "");
  const sent = async (wire: "product" | "documented", args: { readonly sha256?: string }) => {
    const service = serviceOf("artifacts", { url, wire });
    const connection = openConnection(service, { mode: "write", credentials: tokenCredentials });
    onTestFinished(() => connection.close());
    const headers = await connection.call("deployFile", { repoKey: "r", path: "p", file, ...args });
    return isObject(headers) ? headers["x-checksum-sha256"] : headers;
  };
  expect(await sent("product", { sha256 })).toBe(sha256);
  expect(await sent("product", {})).toBeUndefined();
  expect(await sent("documented", { sha256 })).toBeUndefined();
});

test.each([
  [{}, "true", undefined],
  [{ atomic: true }, "true", "true"],
  [{ explode: false, atomic: true }, "false", "true"],
])(
  "the path of an archive ends in a name of its type, and headers say how to explode it: %j",
  async (how, explode, atomic) => {
    const url = await serveLoopback(({ url: path, headers }, response) => {
      const sent = [path, headers["x-explode-archive"], headers["x-explode-archive-atomic"]];
      response.writeHead(200, { "content-type": "text/plain" }).end(JSON.stringify(sent));
    });
    const connection = openConnection(serviceOf("artifacts", { url }), {
      mode: "write",
      credentials: tokenCredentials,
    });
    onTestFinished(() => connection.close());
    const file = `${fileOf(10)}.tar.gz`;
    writeFileSync(file, "archive");
    const sent = await connection.call("deployArchive", { repoKey: "r", path: "a b/c", file, ...how });
    expect(JSON.parse(String(sent))).toEqual(["/r/a%20b/c/archive.tar.gz", explode, atomic ?? null]);
  },
);

test.each(["/nowhere/at/all.jar", tmpdir()])("%s is not a file, and nothing is sent", async (file) => {
  const connection = openConnection(serviceOf("artifacts"), {
    mode: "write",
    credentials: tokenCredentials,
  });
  const problem = await problemOf(connection.call("deployFile", { repoKey: "r", path: "p", file }));
  expect(problem).toMatchObject({ code: "SP1017", message: expect.stringContaining(file) });
  expect(connection.requests.writes).toBe(0);
});

// On a real connection, since a mocked one ends while a streamed body is still on its way.
test("under wire: documented, the path of an archive really arrives with a slash at its end", async () => {
  const url = await serveLoopback((request, response) => {
    request.resume().on("end", () => {
      const { "x-explode-archive": explode, "x-explode-archive-atomic": atomic } = request.headers;
      response
        .writeHead(200, { "content-type": "text/plain" })
        .end(`${request.method} ${request.url} ${explode} ${atomic}`);
    });
  });
  const service = serviceOf("artifacts", { url, wire: "documented" });
  const connection = openConnection(service, { mode: "write", credentials: tokenCredentials });
  onTestFinished(() => connection.close());
  const args = { repoKey: "libs", path: "a/b", file: fileOf(2, "site.zip"), atomic: true };
  expect(await connection.call("deployArchive", args)).toBe("PUT /libs/a/b/ true true");
});
