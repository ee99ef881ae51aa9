import { expect, test } from "vitest";
import { largestAnswer } from "../../../src/clients/http/answer.ts";
import { type Page, pageList, readPages } from "../../../src/clients/http/pages.ts";
import type { Paging } from "../../../src/core/operation.ts";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { problemOf } from "../fixtures.ts";

const paging: Paging<JsonObject, unknown> = {
  next: ({ page }) => ({ page: Number(page) + 1 }),
  list: listOf,
};

function listOf(first: unknown) {
  return pageList(first, { entries: (page) => [page].flat(), identify: String, whole: (entries) => entries });
}

test("a list whose pages are always new is refused after 10,000 of them", async () => {
  let asked = 0;
  const readPage = async ({ page = null }: JsonObject): Promise<Page> => {
    asked += 1;
    return { result: page, answer: { status: 200, headers: {}, body: Buffer.alloc(0) } };
  };
  const problem = await problemOf(readPages({ paging }, { page: 1 }, readPage));
  expect(problem).toMatchObject({ code: "SP3104", message: "The list does not end: 10000 pages were read." });
  expect(asked).toBe(10_000);
});

test("a list whose pages are too large together is refused", async () => {
  const body = Buffer.alloc(largestAnswer);
  const readPage = async ({ page = null }: JsonObject) => ({
    result: page,
    answer: { status: 200, headers: {}, body },
  });
  expect(await problemOf(readPages({ paging }, { page: 1 }, readPage))).toMatchObject({
    code: "SP3104",
    message: "The list has more than 512 MiB.",
  });
});

test("an operation that reads one page refuses a list that has more", async () => {
  const page = (link?: string) => async (): Promise<Page> => ({
    result: [1],
    answer: { status: 200, headers: { link }, body: Buffer.alloc(0) },
  });
  const problem = await problemOf(readPages({}, {}, page('<https://x/?page=2>; rel="next"')));
  expect(problem).toMatchObject({ code: "SP3104", message: expect.stringContaining("more pages") });
  expect(await readPages({}, {}, page('<https://x/?page=0>; rel="prev"'))).toEqual([1]);
});

test("a call that is capped by an argument reads one page, unless all pages are wanted", async () => {
  const pages = async (args: JsonObject, pageAll?: boolean) => {
    const capped: typeof paging = {
      cap: "n",
      next: ({ page, ...same }) => (page === 3 ? undefined : { ...same, page: Number(page) + 1 }),
      list: listOf,
    };
    const answer = { status: 200, headers: { link: '<https://x/?page=2>; rel="next"' }, body: Buffer.alloc(0) };
    return readPages({ paging: capped }, args, async ({ page }) => ({ result: [page], answer }), pageAll);
  };
  expect(await pages({ page: 1, n: 1 })).toEqual([1]);
  expect(await pages({ page: 1, n: 1 }, true)).toEqual([1, 2, 3]);
  expect(await pages({ page: 1 })).toEqual([1, 2, 3]);
});

test.each([
  ['<https://x/?page=1>; rel="prev", <https://x/?page=2>; rel=next', "2"],
  ['<https://x/?page=2>; title="more, of it"; rel="next"', "2"],
  ['<https://x/?page=2>; rel="last next"', "2"],
  ['<https://x/?page=2>; title="rel=next"; rel="last"', undefined],
  ['<https://x/?page=2>; rel="prev", <https://x/?page=3>; rel="last"', undefined],
  [undefined, undefined],
])("of the links %s, the next page is %s", async (link, page) => {
  const links: (string | null | undefined)[] = [];
  const once: typeof paging = {
    ...paging,
    next: (_args, _page, next) => {
      links.push(next?.get("page"));
      return undefined;
    },
  };
  const headers = link === undefined ? {} : { link };
  await readPages({ paging: once }, {}, async () => ({
    result: [],
    answer: { status: 200, headers, body: Buffer.alloc(0) },
  }));
  expect(links).toEqual([page]);
});

test("each entry is looked at once, however many pages there are", async () => {
  const looked: unknown[] = [];
  const counted: typeof paging = {
    next: ({ page }) => (page === 300 ? undefined : { page: Number(page) + 1 }),
    list: (first) =>
      pageList(first, {
        entries: (page) => [page].flat(),
        identify(entry) {
          looked.push(entry);
          return String(entry);
        },
        whole: (entries) => entries,
      }),
  };
  const answer = { status: 200, headers: {}, body: Buffer.alloc(0) };
  const readPage = async ({ page = null }: JsonObject): Promise<Page> => ({ result: page, answer });
  expect(await readPages({ paging: counted }, { page: 1 }, readPage)).toHaveLength(300);
  expect(looked).toHaveLength(300);
});

test("a last page that only repeats ends the list, and one that another follows is refused", async () => {
  const answer = { status: 200, headers: {}, body: Buffer.alloc(0) };
  const repeating = (pages: number): typeof paging => ({
    next: ({ page }) => (page === pages ? undefined : { page: Number(page) + 1 }),
    list: listOf,
  });
  const readPage = async (): Promise<Page> => ({ result: ["same"], answer });
  expect(await readPages({ paging: repeating(2) }, { page: 1 }, readPage)).toEqual(["same"]);
  const problem = await problemOf(readPages({ paging: repeating(3) }, { page: 1 }, readPage));
  expect(problem).toMatchObject({ code: "SP3104", message: expect.stringContaining("same page again") });
});

test("a list that asks for the same page again is refused, even if it has something new each time", async () => {
  const asked: JsonObject[] = [];
  const turning: typeof paging = { next: ({ page }) => ({ page: page === 2 ? 1 : 2 }), list: listOf };
  const readPage = async (args: JsonObject): Promise<Page> => ({
    result: [`entry ${asked.push(args)}`],
    answer: { status: 200, headers: {}, body: Buffer.alloc(0) },
  });
  expect(await problemOf(readPages({ paging: turning }, { page: 1 }, readPage))).toMatchObject({
    code: "SP3104",
    message: "The list does not end: 2 pages were read.",
  });
  expect(asked).toEqual([{ page: 1 }, { page: 2 }]);
});

test("of an entry that a changing list contains twice, the first one is kept", () => {
  const list = pageList([{ id: 1, said: "first" }], {
    entries: (page) => page,
    identify: ({ id }) => id,
    whole: (entries) => entries,
  });
  expect(
    list.add([
      { id: 1, said: "again" },
      { id: 2, said: "new" },
    ]),
  ).toBe(true);
  expect(list.add([{ id: 2, said: "again" }])).toBe(false);
  expect(list.whole().map(({ said }) => said)).toEqual(["first", "new"]);
});
