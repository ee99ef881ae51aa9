import { expect, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { problemOf, serviceOf, testClock, tokenCredentials } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("hosting");

function open() {
  return openConnection(service, { mode: "read", credentials: tokenCredentials, clock: testClock() });
}

const branches = "/repos/o/r/branches";
const page = (names: readonly string[]) => names.map((name) => ({ name, commit: { sha: "1" } }));
const next = (query: string) => ({
  link: `<https://elsewhere.example.com/x?${query}>; rel="next", <https://elsewhere.example.com/x?page=9>; rel="last"`,
});
const list = () => open().call("listBranches", { owner: "o", repo: "r" });

test("lists are read to the end in pages of the largest size, always at the service's own address", async () => {
  mock(service.url)
    .get(`${branches}?per_page=100`)
    .reply(200, page(["a", "b"]), next("page=2&per_page=100"));
  mock(service.url)
    .get(`${branches}?per_page=100&page=2`)
    .reply(200, page(["c"]));
  expect(await list()).toMatchObject([{ name: "a" }, { name: "b" }, { name: "c" }]);
});

test("a full page whose link was dropped on the way is not taken for the last one", async () => {
  const full = Array.from({ length: 100 }, (_none, index) => `a${index}`);
  mock(service.url).get(`${branches}?per_page=100`).reply(200, page(full));
  mock(service.url)
    .get(`${branches}?per_page=100&page=2`)
    .reply(200, page(["b"]));
  expect(await list()).toHaveLength(101);
});

test("an entry that moves to the next page while a list is read appears once", async () => {
  mock(service.url)
    .get(`${branches}?per_page=100`)
    .reply(200, page(["a", "b"]), next("page=2"));
  mock(service.url)
    .get(`${branches}?per_page=100&page=2`)
    .reply(200, page(["b", "c"]));
  expect(await list()).toMatchObject([{ name: "a" }, { name: "b" }, { name: "c" }]);
});

test.each(["after=abc", "page=0"])("lists whose next page is %s are refused", async (query) => {
  mock(service.url)
    .get(`${branches}?per_page=100`)
    .reply(200, page(["a"]), next(query));
  expect(await problemOf(list())).toMatchObject({ code: "SP3104", operation: "listBranches" });
});

test.each([
  ["bring the same page again and again", ["a"], "page=3"],
  ["link to the page itself", ["b"], "page=2"],
])("lists that %s are refused", async (_, names, query) => {
  mock(service.url)
    .get(`${branches}?per_page=100`)
    .reply(200, page(["a"]), next("page=2"));
  mock(service.url).get(`${branches}?per_page=100&page=2`).reply(200, page(names), next(query));
  expect(await problemOf(list())).toMatchObject({ code: "SP3104", operation: "listBranches" });
});

test("a list with a missing page is not used", async () => {
  mock(service.url)
    .get(`${branches}?per_page=100`)
    .reply(200, page(["a"]), next("page=2"));
  mock(service.url).get(`${branches}?per_page=100&page=2`).reply(200, '[{"name": "b", "com', {
    "content-type": "application/json",
  });
  expect(await problemOf(list())).toMatchObject({ code: "SP3103", message: expect.stringContaining("cut off") });
});

const run = (id: number) => ({
  id,
  workflow_id: 1,
  run_number: id,
  event: "push",
  status: "queued",
  conclusion: null,
  head_branch: null,
  head_sha: "1",
  html_url: "u",
  created_at: "t",
  updated_at: "t",
});

test("pages of runs are joined, and the latest count is kept", async () => {
  const runs = "/repos/o/r/actions/runs?per_page=100";
  mock(service.url)
    .get(runs)
    .reply(200, { total_count: 2, workflow_runs: [run(3), run(2)] }, next("page=2"));
  mock(service.url)
    .get(`${runs}&page=2`)
    .reply(200, { total_count: 3, workflow_runs: [run(2), run(1)] });
  expect(await open().call("listWorkflowRuns", { owner: "o", repo: "r" })).toMatchObject({
    total_count: 3,
    workflow_runs: [{ id: 3 }, { id: 2 }, { id: 1 }],
  });
});

test("a search for runs that the service cuts at its maximum is incomplete, and one with exactly as many is not", async () => {
  const runs = "/repos/o/r/actions/runs?per_page=100&branch=main";
  const search = (total_count: number) => {
    for (let number = 1; number <= 10; number++) {
      const workflow_runs = Array.from({ length: 100 }, (_, index) => run(number * 100 + index));
      const more = number < 10 ? next(`page=${number + 1}`) : {};
      mock(service.url)
        .get(number === 1 ? runs : `${runs}&page=${number}`)
        .reply(200, { total_count, workflow_runs }, more);
    }
    return open().call("listWorkflowRuns", { owner: "o", repo: "r", branch: "main" });
  };
  expect(await problemOf(search(4321))).toMatchObject({
    code: "SP3104",
    message: "The service returns only 1,000 of the 4,321 runs that it found.",
  });
  expect(await search(1000)).toMatchObject({ total_count: 1000 });
});
