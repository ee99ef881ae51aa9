import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { type Credentials, connect, Secret, serviceOf } from "../../src/clients/index.ts";
import type { Effect } from "../../src/core/operation.ts";
import { sandboxForTest } from "../sandbox/asking.ts";
import { problemOf } from "./fixtures.ts";

const credentials: Credentials = { is: "basic", username: "admin", password: new Secret("secret") };

async function openWiki<M extends Effect>(mode: M) {
  const sandbox = await sandboxForTest();
  const wiki = connect({ role: "wiki", url: sandbox.services.wiki.url }, { mode, credentials });
  onTestFinished(() => wiki.close());
  return { sandbox, wiki };
}

test("a client has a typed method for each operation", async () => {
  const { sandbox, wiki } = await openWiki("write");
  const page = await wiki.client.getPage({ pageId: "48213" });
  expectTypeOf(page.version.number).toBeNumber();
  expect(page.version.number).toBe(2);
  expect(await wiki.client.deleteToken({ tokenId: 1 }).catch(() => "refused")).toBe(true);
  expect(sandbox.state().wiki.tokenPlugin.tokens).toEqual([]);
  expect(wiki.requests).toEqual({ reads: 1, writes: 1 });
});

test("in mode read it has no method that writes", async () => {
  const { wiki } = await openWiki("read");
  expectTypeOf(wiki.client).not.toHaveProperty("updatePage");
  expect(Object.keys(wiki.client)).toEqual([
    "getCurrentUser",
    "getServerManifest",
    "getPage",
    "listTokens",
    "filterTokens",
  ]);
});

test("a connection can be closed twice, for example by a program and its finally", async () => {
  const { wiki } = await openWiki("read");
  await wiki.client.getPage({ pageId: "48213" });
  await Promise.all([wiki.close(), wiki.close()]);
  await wiki.close();
});

test("a setting that is undefined has its default, and a limit of no requests is refused rather than waited for", async () => {
  const sandbox = await sandboxForTest();
  const settings = { role: "wiki", url: sandbox.services.wiki.url } as const;
  const { name, limits } = serviceOf(settings);
  // A program without exactOptionalPropertyTypes can pass these.
  const unset: object = { name: undefined, limits: { concurrency: undefined, timeout: undefined } };
  const wiki = connect({ ...settings, ...unset }, { mode: "read", credentials });
  onTestFinished(() => wiki.close());
  expect(await wiki.client.getPage({ pageId: "48213" })).toMatchObject({ id: "48213" });
  expect(serviceOf({ ...settings, ...unset })).toMatchObject({ name, limits });
  for (const concurrency of [0, -1, Number.NaN])
    expect(() => connect({ ...settings, limits: { concurrency } }, { mode: "read", credentials })).toThrow(RangeError);
  expect(() => serviceOf({ ...settings, limits: { requestsPerSecond: 0 } })).toThrow("limits.requestsPerSecond is 0");
});

test("a failure is a problem with code, service and hint", async () => {
  const { wiki } = await openWiki("read");
  expect(await problemOf(wiki.client.getPage({ pageId: "0" }))).toMatchObject({
    code: "SP3005",
    service: "wiki",
    operation: "getPage",
    hint: expect.any(String),
  });
});
