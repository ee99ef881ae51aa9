import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { World } from "../../../src/sandbox/world.ts";
import { type Answer, accounts, ask, basic, sandboxForTest } from "../asking.ts";

function wikiSandbox(): Promise<Sandbox> {
  const version = (number: number, by: string) => ({ number, by });
  const pages = {
    "10": { space: "ENG", title: "Home", body: "<p>Hi</p>", versions: [version(1, "ada")] },
    "20": {
      space: "ENG",
      title: "Dates",
      body: "<p>May</p>",
      ancestors: ["10"],
      versions: [{ ...version(1, "ada"), message: "First" }, version(2, "max")],
    },
  };
  return sandboxForTest({ world: World.parse({ accounts, wiki: { pages } }) });
}

function wiki(
  sandbox: Sandbox,
  path: string,
  init: RequestInit = {},
  authorization = basic("ada", "ADA"),
): Promise<Answer> {
  const headers = new Headers(init.headers);
  if (authorization !== "") headers.set("authorization", authorization);
  return ask(`${sandbox.services.wiki.url}/rest/api/content/${path}`, { ...init, headers });
}

function page(more: object = {}): object {
  const storage = { value: "<p>June</p>", representation: "storage" };
  return {
    type: "page",
    title: "Dates",
    version: { number: 3 },
    body: { storage },
    ancestors: [{ id: "10" }],
    ...more,
  };
}

function put(sandbox: Sandbox, body: object, authorization?: string): Promise<Answer> {
  const init = { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return wiki(sandbox, "20", init, authorization);
}

/** Returns a body as the wiki stores it. */
async function stored(value: string): Promise<string | undefined> {
  const sandbox = await wikiSandbox();
  const answer = await put(sandbox, page({ body: { storage: { value, representation: "storage" } } }));
  expect(answer.status, answer.text).toBe(200);
  return sandbox.state().wiki.pages["20"]?.body;
}

describe("reading a page", () => {
  test("returns only the parts that expand names", async () => {
    const sandbox = await wikiSandbox();
    expect(JSON.parse((await wiki(sandbox, "20?expand=body.storage,ancestors")).text)).toEqual({
      id: "20",
      type: "page",
      status: "current",
      title: "Dates",
      ancestors: [{ id: "10", type: "page", status: "current", title: "Home" }],
      body: { storage: { value: "<p>May</p>", representation: "storage" } },
      _links: { webui: "/pages/viewpage.action?pageId=20" },
    });
  });

  test("without expand returns no body", async () => {
    const read = JSON.parse((await wiki(await wikiSandbox(), "20")).text);
    expect(read).toMatchObject({
      space: { key: "ENG" },
      version: { number: 2, by: { username: "max", displayName: "Max" } },
    });
    expect(read).not.toHaveProperty("body");
  });

  test.each([basic("max", "MAX"), "Bearer MAX"])("is possible with %s", async (authorization) => {
    const answer = await wiki(await wikiSandbox(), "20", {}, authorization);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([200, "0"]);
  });
});

describe("writing a page", () => {
  test("creates the next version and keeps the earlier ones", async () => {
    const sandbox = await wikiSandbox();
    const answer = await put(sandbox, page({ version: { number: 3, message: "Later", minorEdit: true } }));
    expect(JSON.parse(answer.text)).toMatchObject({ id: "20", version: { number: 3, message: "Later" } });
    expect(sandbox.state().wiki.pages["20"]).toMatchObject({
      body: "<p>June</p>",
      ancestors: ["10"],
      versions: [
        { number: 1, by: "ada", message: "First" },
        { number: 2, by: "max" },
        { number: 3, by: "ada", message: "Later", minorEdit: true },
      ],
    });
  });

  test.each([2, 4])("refuses the version %i, naming the current one", async (number) => {
    const sandbox = await wikiSandbox();
    const before = sandbox.state();
    const answer = await put(sandbox, page({ version: { number } }));
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      409,
      {
        statusCode: 409,
        data: expect.any(Object),
        message: "Version must be incremented on update. Current version is: 2",
      },
    ]);
    expect(sandbox.state()).toEqual(before);
  });

  test("cuts a version message that is too long", async () => {
    const sandbox = await wikiSandbox();
    await put(sandbox, page({ version: { number: 3, message: "m".repeat(300) } }));
    expect(sandbox.state().wiki.pages["20"]?.versions.at(-1)?.message).toBe("m".repeat(255));
  });

  test("moves a page to the top if no ancestors are sent", async () => {
    const sandbox = await wikiSandbox();
    await put(sandbox, page({ ancestors: undefined }));
    expect(sandbox.state().wiki.pages["20"]?.ancestors).toEqual([]);
  });

  test.each([
    ["no title", { title: undefined }],
    ["another type", { type: "blogpost" }],
    ["no version", { version: undefined }],
    ["a version in text", { version: { number: "3" } }],
    ["no body", { body: undefined }],
    ["another representation", { body: { storage: { value: "", representation: "wiki" } } }],
    ["the title of another page", { title: "home" }],
    ["the id of another page", { id: "10" }],
    ["an ancestor that is not there", { ancestors: [{ id: "99" }] }],
  ])("refuses %s with 400", async (_, more) => {
    const answer = await put(await wikiSandbox(), page(more));
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      400,
      { statusCode: 400, message: expect.any(String) },
    ]);
  });

  test("accepts only JSON", async () => {
    const init = { method: "PUT", headers: { "content-type": "text/plain" }, body: JSON.stringify(page()) };
    expect((await wiki(await wikiSandbox(), "20", init)).status).toBe(415);
  });

  test("is forbidden for an account that may only read", async () => {
    const sandbox = await wikiSandbox();
    expect((await put(sandbox, page(), "Bearer REX")).status).toBe(403);
    expect((await put(sandbox, page(), "Bearer MAX")).status).toBe(200);
  });
});

describe("stored markup", () => {
  test.each([
    ["a void element", "<p>b<br/>c<br></br></p>", "<p>b<br />c<br /></p>"],
    ["an empty element", '<p></p><p class="x"></p>', '<p /><p class="x" />'],
    ["an attribute in single quotes", "<p class='a\"b'>x</p>", '<p class="a&quot;b">x</p>'],
    ["named entities", "<p>&ouml;&mdash;&#246;&#x2014;&nbsp;&amp;&lt;</p>", "<p>ö—ö—&nbsp;&amp;&lt;</p>"],
    ["quotation marks", '<p>"it\'s"</p>', "<p>&quot;it's&quot;</p>"],
    [
      "a link to a page",
      '<ri:page ri:content-title="Dates" />',
      '<ri:page ri:content-title="Dates" ri:version-at-save="2" />',
    ],
    ["character data", "<ac:b><![CDATA[a < b & c]]></ac:b>", "<ac:b><![CDATA[a < b & c]]></ac:b>"],
  ])("%s is rewritten", async (_, sent, kept) => {
    expect(await stored(sent)).toBe(kept);
  });

  test("gives each macro a different id, the same every time, and keeps an existing id", async () => {
    const macro = '<ac:structured-macro ac:name="toc" />';
    const once = await stored(macro + macro);
    const ids = [...(once ?? "").matchAll(/ac:macro-id="([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g)].map(
      ([, id]) => id,
    );
    expect(new Set(ids).size).toBe(2);
    expect(await stored(macro + macro)).toBe(once);
    expect(await stored(once ?? "")).toBe(once);
  });

  test("does not change when it is stored again", async () => {
    const once = await stored('<p>"&ouml;"<br/></p><table><tbody><tr><td></td></tr></tbody></table>');
    expect(await stored(once ?? "")).toBe(once);
  });

  test.each([
    "<p>",
    "<p></b></p>",
    "</p>",
    "<p>a<br>b</p>",
    "<p>a & b</p>",
    "<p>&unheard;</p>",
    "<p class=x>a</p>",
    '<p a="1" a="2">a</p>',
    "<p>a < b</p>",
    "<![CDATA[a",
  ])("%s is refused as malformed", async (value) => {
    const answer = await put(await wikiSandbox(), page({ body: { storage: { value, representation: "storage" } } }));
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([
      400,
      expect.stringMatching(/^Error parsing xhtml: /),
    ]);
  });
});

describe("refusals", () => {
  test.each([
    ["an unknown page", "99", undefined, 404],
    ["no credentials", "20", "", 401],
    ["wrong credentials", "20", "Bearer wrong", 401],
  ])("%s", async (_, path, authorization, status) => {
    const answer = await wiki(await wikiSandbox(), path, {}, authorization);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      status,
      { statusCode: status, data: expect.any(Object), message: expect.any(String) },
    ]);
  });

  test("an unknown path, in the form of the server around the wiki", async () => {
    const answer = await wiki(await wikiSandbox(), "20/child");
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      404,
      { message: expect.stringMatching(/^null for uri: http:.*\/20\/child$/), "status-code": 404 },
    ]);
  });

  test("a method the path does not have", async () => {
    const answer = await wiki(await wikiSandbox(), "20", { method: "DELETE" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, PUT"]);
  });
});
