import { expect, test } from "vitest";
import { artifactsService } from "../../../src/clients/artifacts/service.ts";
import { openConnection, readerOf } from "../../../src/clients/connect.ts";
import { type ProblemCode, ProblemError } from "../../../src/core/problem.ts";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock } from "../fixtures.ts";

const mock = mockHttp();
const product = { wire: "product" } as const;
const failure = (code: ProblemCode, message = "no") => new ProblemError({ code, message });

type Asked = (readonly [operation: string, args: JsonObject])[];

/** A reader over answers to queries and single reads, and the calls that it made. */
function reading(
  query: () => unknown,
  single: (operation: string, args: JsonObject) => unknown = () => ({ properties: { from: ["single"] } }),
) {
  const asked: Asked = [];
  const call = async (operation: string, args: JsonObject) => {
    asked.push([operation, args]);
    return operation === "query" ? query() : single(operation, args);
  };
  return { asked, read: readerOf(call, product, artifactsService) };
}

const both = [
  { repoKey: "r", path: "a" },
  { repoKey: "r", path: "d/b" },
];

test("items requested in one tick share one query; each gets its own values, and an item without any gets none", async () => {
  const pair = (key: string, value: string) => ({ key, value });
  const { asked, read } = reading(() => ({
    results: [
      { repo: "r", path: ".", name: "a", properties: [pair("k", "1"), pair("l", "x"), pair("k", "2")] },
      { repo: "r", path: "d", name: "b" },
    ],
  }));
  const found = await Promise.all(both.map((place) => read.getProperties(place)));
  expect(found).toEqual([{ properties: { k: ["1", "2"], l: ["x"] } }, { properties: {} }]);
  expect(asked).toEqual([
    [
      "query",
      {
        query:
          'items.find({"$and":[{"$or":[{"type":"file"},{"type":"folder"}]},' +
          '{"$or":[{"repo":"r","path":".","$or":[{"name":"a"}]},{"repo":"r","path":"d","$or":[{"name":"b"}]}]}]})' +
          '.include("repo","path","name","property")',
      },
    ],
  ]);
});

/** @see docs/facts.md, artifacts: an item with several properties can be returned in parts */
test("an item that is returned in parts has the properties of all of them", async () => {
  const part = (name: string, key: string, value: string) => ({
    repo: "r",
    path: ".",
    name,
    properties: [{ key, value }],
  });
  const { read } = reading(() => ({
    results: [part("a", "k", "1"), part("b", "k", "3"), part("a", "l", "x"), part("a", "k", "2")],
  }));
  const found = await Promise.all(["a", "b"].map((path) => read.getProperties({ repoKey: "r", path })));
  expect(found).toEqual([{ properties: { k: ["1", "2"], l: ["x"] } }, { properties: { k: ["3"] } }]);
});

test.each(["SP3004", "SP3005", "SP3007", "SP3103"] as const)(
  "if the query fails with %s, each item is requested separately",
  async (code) => {
    const { asked, read } = reading(() => {
      throw failure(code);
    });
    const found = await Promise.all(both.map((place) => read.getProperties(place)));
    expect(found).toEqual(Array(2).fill({ properties: { from: ["single"] } }));
    expect(asked.map(([operation]) => operation)).toEqual(["query", "getProperties", "getProperties"]);
  },
);

test.each(["SP3101", "SP3104"] as const)("if it fails with %s, nothing is sent again", async (code) => {
  const { asked, read } = reading(() => {
    throw failure(code);
  });
  const problems = await Promise.all(both.map((place) => problemOf(read.getProperties(place))));
  expect(problems).toMatchObject([{ code }, { code }]);
  expect(asked).toHaveLength(1);
});

test.each(["SP3005", "SP3004"] as const)(
  "an item that does not exist or may not be read fails (%s), while one without properties does not: the words are the same",
  async (code) => {
    const { read } = reading(
      () => ({ results: [] }),
      (operation, { path }) => {
        if (operation === "getProperties")
          throw failure("SP3005", "The service answered 404: No properties could be found.");
        if (path === "a") return { uri: "u" };
        throw failure(code);
      },
    );
    const [empty, missing] = both.map((place) => read.getProperties(place));
    expect(await empty).toEqual({ properties: {} });
    expect(await problemOf(missing ?? Promise.resolve())).toMatchObject({ code });
  },
);

test("at most three queries are under way at a time", async () => {
  let [now, most] = [0, 0];
  const call = async () => {
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    now -= 1;
    return { results: [] };
  };
  const read = readerOf(call, product, artifactsService);
  await Promise.all(Array.from({ length: 10 }, (_, n) => read.query({ query: `items.find({"depth":${n}})` })));
  expect(most).toBe(3);
});

const whole = { start_pos: 0, end_pos: 1, total: 1 };
const trimmed = "AQL query reached the search hard limit, results are trimmed.";

test.each([
  ["items.find()", { range: whole }, undefined],
  ["items.find()", { notification: trimmed }, "SP3104"],
  ["items.find()", { range: { ...whole, notification: trimmed } }, "SP3104"],
  ["items.find()", { range: { ...whole, total: 2 } }, "SP3104"],
  ['items.find({"name":".limit(1)"})', { range: { ...whole, total: 2 } }, "SP3104"],
  ["items.find().limit(1)", { range: { ...whole, total: 2 } }, undefined],
  ["items.find().limit(1)", { range: whole, notification: trimmed }, "SP3104"],
])("%s with %j is incomplete: %s", async (query, answer, code) => {
  const service = serviceOf("artifacts");
  mock(service.url)
    .post(/aql$/)
    .reply(200, { results: [{ name: "a" }], ...answer });
  const connection = openConnection(service, { mode: "read", credentials: basicCredentials, clock: testClock() });
  const outcome = connection.call("query", { query }).then(
    () => undefined,
    (error: unknown) => (error instanceof ProblemError ? error.problems[0]?.code : error),
  );
  expect(await outcome).toBe(code);
});
