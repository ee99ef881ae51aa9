import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { problemOf } from "../fixtures.ts";
import { json, open } from "./mocked.ts";

const mock = mockHttp();

test("a query is sent as text, whether it was given as text or as an object", async () => {
  const text = 'items.find({"repo":"a\\"}).limit(1)"}).include("name").sort({"$desc":["created"]}).limit(3)';
  mock("https://artifacts.example.com")
    .post("/artifactory/api/search/aql", text)
    .matchHeader("content-type", /^text\/plain/)
    .times(2)
    .reply(200, { results: [{ name: "x" }], range: { start_pos: 0, end_pos: 1, total: 1 } }, json);
  const query: JsonObject = {
    find: "items",
    where: { repo: 'a"}).limit(1)' },
    include: ["name"],
    sort: { desc: ["created"] },
    limit: 3,
  };
  const found = { results: [{ name: "x" }], range: { start_pos: 0, end_pos: 1, total: 1 } };
  expect(await open().call("query", { query })).toEqual(found);
  expect(await open().call("query", { query: text })).toEqual(found);
});

test("fields of builds are the same with and without their domain as a prefix", async () => {
  mock("https://artifacts.example.com")
    .post("/artifactory/api/search/aql")
    .reply(200, { results: [{ "build.name": "b", "build.number": "1" }] }, json);
  expect(await open().call("query", { query: { find: "builds" } })).toEqual({ results: [{ name: "b", number: "1" }] });
});

test("an answer that the service trimmed is reported as incomplete", async () => {
  const notification = "AQL query reached the search hard limit, results are trimmed.";
  mock("https://artifacts.example.com")
    .post("/artifactory/api/search/aql")
    .reply(200, { results: [], notification }, json);
  const problem = await problemOf(open().call("query", { query: { find: "items" } }));
  expect(problem).toMatchObject({ code: "SP3104", message: expect.stringContaining("search hard limit") });
});

test.each([
  ["searchArtifacts", { name: "x" }, "/artifactory/api/search/artifact?name=x", (n: number) => ({ results: uris(n) })],
  [
    "searchPattern",
    { pattern: "r:*" },
    "/artifactory/api/search/pattern?pattern=r%3A%2A",
    (n: number) => ({ files: uris(n).map(({ uri }) => uri) }),
  ],
] as const)("%s stops at 1,000 results, which are reported as incomplete", async (operation, args, path, answer) => {
  mock("https://artifacts.example.com").get(path).reply(200, answer(999), json);
  await expect(open().call(operation, args)).resolves.toEqual(answer(999));
  mock("https://artifacts.example.com").get(path).reply(200, answer(1000), json);
  expect(await problemOf(open().call(operation, args))).toMatchObject({ code: "SP3104" });
});

test("tags are read to the end, by the link or, without one, from the position after a full page", async () => {
  const server = mock("https://artifacts.example.com");
  const path = "/artifactory/api/docker/d/v2/team/app/tags/list";
  const next = { ...json, link: `</v2/team/app/tags/list?last=2&n=2>; rel="next"` };
  server.get(`${path}?n=2`).reply(200, { name: "team/app", tags: ["a", "b"] }, next);
  server.get(`${path}?n=2&last=2`).reply(200, { name: "team/app", tags: ["c", "d"] }, json);
  server.get(`${path}?n=2&last=4`).reply(200, { name: "team/app", tags: null }, json);
  const args = { repoKey: "d", image: "team/app", n: 2 };
  expect(await open().call("listTags", args)).toEqual({ name: "team/app", tags: ["a", "b", "c", "d"] });
});

test.each([{}, { errors: [{ code: "DENIED", message: "not now" }] }])(
  "an answer without the member for names, such as %j, is no empty list: a tag that exists would be promoted over",
  async (body) => {
    const server = mock("https://artifacts.example.com");
    server.get("/artifactory/api/docker/d/v2/a/tags/list").reply(200, body, json);
    server.get("/artifactory/api/docker/d/v2/_catalog").reply(200, body, json);
    const connection = open();
    for (const [operation, args] of [
      ["listTags", { repoKey: "d", image: "a" }],
      ["listCatalog", { repoKey: "d" }],
    ] as const)
      expect(await problemOf(connection.call(operation, args))).toMatchObject({ code: "SP3103" });
  },
);

test("a catalog whose pages repeat is not read forever", async () => {
  const path = "/artifactory/api/docker/d/v2/_catalog";
  const again = { ...json, link: `<${path}?last=a&n=1>; rel="next"` };
  mock("https://artifacts.example.com")
    .get(path)
    .query(true)
    .times(2)
    .reply(200, { repositories: ["a"] }, again);
  const problem = await problemOf(open().call("listCatalog", { repoKey: "d" }));
  expect(problem).toMatchObject({ code: "SP3104", message: expect.stringContaining("does not end") });
});

function uris(count: number): readonly { readonly uri: string }[] {
  return Array.from({ length: count }, (_, index) => ({ uri: `/${index}` }));
}
