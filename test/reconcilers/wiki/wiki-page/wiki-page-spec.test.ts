import { describe, expect, test } from "vitest";
import { readerOf } from "../../../../src/clients/connect.ts";
import type { WikiPageRecord, WikiReader } from "../../../../src/clients/wiki/operations.ts";
import { wikiService } from "../../../../src/clients/wiki/service.ts";
import type { FieldDifference } from "../../../../src/core/change.ts";
import { ProblemError } from "../../../../src/core/problem.ts";
import { wikiPage } from "../../../../src/reconcilers/wiki/wiki-page/wiki-page.ts";

const record: WikiPageRecord = {
  id: "48213",
  type: "page",
  title: "Calendar",
  space: { key: "OPS" },
  version: { number: 17, by: { username: "jdoe" } },
  body: { storage: { value: "<p>live</p>", representation: "storage" } },
  ancestors: [{ id: "1" }, { id: "22" }],
};
const marker = { version: 17, title: "Calendar", space: "OPS", parent: "22", body: "<p>live</p>" };
const live = { id: "48213", title: "Calendar", space: "OPS", body: { storage: "<p>live</p>" } };
const base = { address: "wiki/WikiPage/48213", key: "48213", verdict: "pending", marker } as const;

function answering(answer: () => WikiPageRecord): WikiReader {
  return {
    ...readerOf(async () => undefined, { wire: "product" }, wikiService),
    getPage: async () => answer(),
  };
}

async function observe(page: WikiPageRecord, ...wanted: Parameters<typeof wikiPage.observe>[2]) {
  return (
    await wikiPage.observe(
      answering(() => page),
      "page 48213",
      wanted,
      new Date(0),
    )
  ).get("48213");
}

function compiled(desired: typeof live | { readonly id: string; readonly body: { readonly markdown: string } }) {
  const fields = [{ path: ["body"], live: live.body, desired: desired.body, verdict: "pending" as const }];
  return wikiPage.compile?.([{ ...base, action: "update", kept: [], desired, live, fields }], "page 48213") ?? [];
}

/** The page as a server has it after a call: stored in its own spelling, one version later. */
function stored(call: ReturnType<typeof compiled>[number] | undefined, body: string): WikiPageRecord {
  const { version } = wikiService.operations.updatePage.args.parse(call?.args);
  return {
    ...record,
    version: { ...version, by: { username: "robot" } },
    body: { storage: { value: body, representation: "storage" } },
  };
}

function mistakesOf(spec: unknown): readonly string[] {
  return wikiPage.spec.safeParse(spec).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
}

describe("a manifest", () => {
  test("can state any part of a page", () => {
    expect(mistakesOf({ id: "1" })).toEqual([]);
    expect(mistakesOf({ id: "1", title: "T", space: "OPS", body: { markdown: "# a" } })).toEqual([]);
  });

  test.each([
    ["an id without quotes", { id: 48213 }, 'id: expected the id of the page in quotes, such as "48213"'],
    ["an invalid id", { id: "Home" }, 'id: expected the id of the page, such as "48213"'],
    [
      "a title with a space at its end",
      { id: "1", title: "a " },
      "title: expected a title without leading or trailing spaces",
    ],
    [
      "a title that no page can have",
      { id: "1", title: "a".repeat(256) },
      "title: Too big: expected string to have <=255 characters",
    ],
    [
      "two bodies",
      { id: "1", body: { storage: "a", markdown: "a" } },
      "body: expected exactly one of storage, markdown or file",
    ],
    ["no body", { id: "1", body: {} }, "body: expected exactly one of storage, markdown or file"],
    [
      "malformed markup",
      { id: "1", body: { storage: "<p>\n<b></p>" } },
      "body.storage: line 2, column 4: </p> is out of place: expected </b> first",
    ],
    [
      "an image",
      { id: "1", body: { markdown: "![a](b)" } },
      'body.markdown: "![a](b)" is an image without an http or https URL, and attachments are not managed: link to it instead',
    ],
  ])("with %s is an error", (_what, spec, mistake) => {
    expect(mistakesOf(spec)).toEqual([mistake]);
  });

  test("takes its body from a file, in the format that the file name indicates", () => {
    const inlined = (file: string) =>
      wikiPage.inline?.(
        { id: "1", body: { file } },
        (path) => `<!-- ${path} -->`,
        () => undefined,
      ).body;
    expect(inlined("a/b.md")).toEqual({ markdown: "<!-- a/b.md -->", file: "a/b.md" });
    expect(inlined("a/b.html")).toEqual({ storage: "<!-- a/b.html -->", file: "a/b.html" });
  });

  test("with a malformed file is an error that names the file", () => {
    const malformed = () =>
      wikiPage.inline?.(
        { id: "1", body: { file: "b.xml" } },
        () => "<p>",
        () => undefined,
      );
    expect(malformed).toThrow("SP1002 b.xml: line 1, column 1: <p> is never closed");
  });
});

describe("comparing", () => {
  test("gives one form for the same body in two formats", () => {
    expect(wikiPage.normalize?.({ id: "1", body: { markdown: "a *b*" } })).toEqual(
      wikiPage.normalize?.({ id: "1", body: { storage: "<p>a <em>b</em></p>" } }),
    );
  });

  test("omits what the manifest omits", () => {
    expect(wikiPage.normalize?.({ id: "1", title: "T" })).toEqual({ id: "1", title: "T" });
  });
});

describe("observing", () => {
  test("reports the page and who edited it", async () => {
    expect(await observe(record, { id: "48213" })).toEqual({
      is: "present",
      spec: live,
      marker,
      events: [{ what: "edited", by: "jdoe", version: 17 }],
    });
  });

  test("reports when and why, if the service does", async () => {
    const version = { ...record.version, when: "2027-01-13T19:04:00.000+0100", message: "2.5 beta" };
    expect(await observe({ ...record, version }, { id: "48213" })).toMatchObject({
      events: [{ at: "2027-01-13T18:04:00.000Z", message: "2.5 beta" }],
    });
    const nonsense = { ...record, version: { ...version, when: "yesterday" } };
    expect(await observe(nonsense, { id: "48213" })).not.toHaveProperty("events.0.at");
  });

  test("treats a page that does not exist, or is hidden, as absent", async () => {
    const missing = answering(() => {
      throw new ProblemError({ code: "SP3005", message: "no such page" });
    });
    const found = await wikiPage.observe(missing, "page 48213", [{ id: "48213" }], new Date(0));
    expect(found.get("48213")).toEqual({ is: "absent", marker: undefined });
  });

  test("reports any other failure as it is", async () => {
    const failing = answering(() => {
      throw new ProblemError({ code: "SP3009", message: "down" });
    });
    await expect(wikiPage.observe(failing, "page 48213", [{ id: "48213" }], new Date(0))).rejects.toThrow("SP3009");
  });

  test("refuses an object that is not a page", async () => {
    await expect(observe({ ...record, type: "blogpost" }, { id: "48213" })).rejects.toThrow("48213 is a blogpost");
  });

  test.each([
    ["would exhaust the stack", "<b>".repeat(50_000), "nested more than 200 deep"],
    ["is not well-formed", "<p>a<br>b</p>", "The markup of page 48213 cannot be read: line 1, column 10"],
  ])("refuses markup that %s", async (_what, value, message) => {
    const page = { ...record, body: { storage: { value, representation: "storage" } } };
    await expect(observe(page, { id: "48213" })).rejects.toThrow(message);
  });

  test("treats what we wrote last as live, whatever the server has made of it", async () => {
    const wanted = { id: "48213", body: { markdown: "# New" } };
    const page = stored(compiled(wanted)[0], "<h1 data-made='up'>New</h1>");
    expect(await observe(page, wanted)).toMatchObject({ spec: { body: wanted.body }, marker: { version: 18 } });
    expect(await observe(page, wanted)).toMatchObject({ events: [] });
  });

  test("treats what we wrote last as live even if only the base remembers it", async () => {
    const before = { id: "48213", body: { markdown: "# Old" } };
    const page = stored(compiled(before)[0], "<h1>rewritten</h1>");
    const now = { id: "48213", body: { markdown: "# New" } };
    expect(await observe(page, now, before)).toMatchObject({ spec: { body: before.body } });
    expect(await observe(page, now)).toMatchObject({ spec: { body: { storage: "<h1>rewritten</h1>" } } });
  });

  test("does not treat a later version with the same message as ours", async () => {
    const wanted = { id: "48213", body: { markdown: "# New" } };
    const page = stored(compiled(wanted)[0], "<h1>theirs</h1>");
    const later = { ...page, version: { ...page.version, number: 19 } };
    expect(await observe(later, wanted)).toMatchObject({ spec: { body: { storage: "<h1>theirs</h1>" } } });
  });
});

describe("writing", () => {
  test("sends the whole page in one call, one version later", () => {
    expect(compiled({ ...live, title: "New" })).toEqual([
      {
        operation: "updatePage",
        carries: ["wiki/WikiPage/48213"],
        args: {
          pageId: "48213",
          id: "48213",
          type: "page",
          title: "New",
          space: { key: "OPS" },
          version: {
            number: 18,
            message: expect.stringMatching(/^setpoint:[0-9a-f]{12} /),
            minorEdit: true,
          },
          body: { storage: { value: "<p>live</p>", representation: "storage" } },
          ancestors: [{ id: "22" }],
        },
      },
    ]);
  });

  test("keeps the live title and body if none are declared", () => {
    const call = compiled({ id: "48213", body: { markdown: "a" } })[0];
    expect(call?.args).toMatchObject({ title: "Calendar", body: { storage: { value: "<p>a</p>\n" } } });
  });

  test("sends no ancestors for a page that has none", () => {
    const top = { ...marker, parent: undefined };
    const calls = wikiPage.compile?.(
      [{ ...base, marker: top, action: "update", kept: [], desired: live, live, fields: [] }],
      "",
    );
    expect(calls?.[0]?.args).not.toHaveProperty("ancestors");
  });

  test("sends arguments that the operation accepts", () => {
    const [call] = compiled(live);
    expect(wikiService.operations.updatePage.args.safeParse(call?.args).success).toBe(true);
  });
});

describe("a person is needed", () => {
  const update = (name: string) => {
    const fields: readonly FieldDifference[] = [{ path: [name], live: "a", desired: "b", verdict: "pending" }];
    return wikiPage.needsPerson?.({ ...base, action: "update", kept: [], desired: live, live, fields });
  };

  test("for a page that does not exist", () => {
    expect(wikiPage.needsPerson?.({ ...base, action: "create", desired: live })).toBe(
      "Create the page manually and put its id here, or give the account access to page 48213.",
    );
  });

  test("for a page in another space, and for no other difference", () => {
    expect(update("space")).toBe("Move the page to the space manually, or correct `space`.");
    expect(update("body")).toBeUndefined();
    expect(update("title")).toBeUndefined();
  });
});
