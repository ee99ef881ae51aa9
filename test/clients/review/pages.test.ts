import { expect, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("review");
const headers = { "content-type": "application/json; charset=utf-8" };

function change(number: number, more = false) {
  return {
    id: `p~${number}`,
    project: "p",
    branch: "b",
    change_id: `I${number}`,
    subject: "s",
    status: "NEW",
    created: "2027-01-01 00:00:00.000000000",
    updated: "2027-01-01 00:00:00.000000000",
    insertions: 1,
    deletions: 0,
    _number: number,
    owner: { _account_id: 1 },
    ...(more ? { _more_changes: true } : {}),
  };
}

function answers(path: string, body: unknown, times = 1) {
  mock(service.url)
    .get(path)
    .times(times)
    .reply(200, `)]}'\n${JSON.stringify(body)}`, headers);
}

function call(operation: string, args: JsonObject) {
  const connection = openConnection(service, { mode: "write", credentials: basicCredentials, clock: testClock() });
  return connection.call(operation, args);
}

test("a query given as terms is encoded, and options are repeated", async () => {
  answers("/a/changes/?q=project%3A%22a%20b%22%20-branch%3A%22%5Erel-.%2A%22&n=10&o=CHECK&o=MESSAGES", []);
  const q = { project: "a b", not: { branch: "^rel-.*" } };
  expect(await call("queryChanges", { q, n: 10, o: ["CHECK", "MESSAGES"] })).toEqual([]);
});

test("a change whose files cannot be compared is listed like any other", async () => {
  const { insertions: _insertions, deletions: _deletions, ...changed } = change(1);
  answers("/a/changes/?q=is%3Aopen", [change(2), changed]);
  expect(await call("queryChanges", { q: "is:open" })).toMatchObject([{ _number: 2 }, { _number: 1 }]);
});

test("a change that moves to the next page while it is read appears once", async () => {
  answers("/a/changes/?q=is%3Aopen", [change(3), change(2, true)]);
  answers("/a/changes/?q=is%3Aopen&S=2", [change(2), change(1, true)]);
  answers("/a/changes/?q=is%3Aopen&S=4", []);
  expect(await call("queryChanges", { q: "is:open" })).toMatchObject([{ _number: 3 }, { _number: 2 }, { _number: 1 }]);
});

test("a list of projects that the server's index cut is read to its end, although nothing says that it was cut", async () => {
  answers("/a/projects/?d", { a: { id: "a", name: "a" }, "b/c": { id: "b%2Fc", name: "b/c" } });
  answers("/a/projects/?d&S=2", { d: { id: "d", name: "d" } });
  answers("/a/projects/?d&S=3", {});
  expect(Object.keys(Object(await call("listProjects", {})))).toEqual(["a", "b/c", "d"]);
});

test.each([
  ["queryChanges", { q: "is:open" }, "/a/changes/?q=is%3Aopen", "&S=1", [change(1, true)]],
  ["listProjects", {}, "/a/projects/?d", "&S=1", { p: { id: "p", _more_projects: true } }],
])("%s with a page that repeats forever is not accepted as a list", async (operation, args, path, next, page) => {
  answers(path, page);
  answers(`${path}${next}`, page);
  const problem = await problemOf(call(operation, args));
  expect(problem).toMatchObject({ code: "SP3104", service: "review", operation });
  expect(problem.message).toContain("sends the same page again");
});

test("a number, a Change-Id and its parts are encoded into the path, and an encoded project is not encoded again", async () => {
  for (const path of ["7", "Iab", "a%2Fb~main~Iab", "a%2Fb~main~Iab", "a%2Fb~7"])
    answers(`/a/changes/${path}/detail`, change(7));
  const parts = { project: "a/b", branch: "main", changeId: "Iab" };
  for (const changeId of [7, "Iab", parts, "a%2Fb~main~Iab", "a/b~7"])
    expect(await call("getChangeDetail", { changeId })).toMatchObject({ _number: 7 });
});

test("a review is sent as documented, and never twice", async () => {
  const range = { start_line: 1, start_character: 0, end_line: 2, end_character: 3 };
  const body = {
    message: "m",
    tag: "t",
    comments: {
      "a.c": [
        { line: 4, message: "l" },
        { range, message: "r" },
      ],
    },
  };
  mock(service.url).post("/a/changes/7/revisions/current/review", body).reply(502, "Bad gateway");
  const problem = await problemOf(call("setReview", { changeId: 7, revisionId: "current", ...body }));
  expect(problem).toMatchObject({ code: "SP3105", operation: "setReview" });
});

test.each([
  ["an option that is none", "getChange", { changeId: 1, o: ["check&x=1"] }],
  ["an empty query", "queryChanges", { q: "" }],
  ["a comment without words", "setReview", { changeId: 1, revisionId: 1, comments: { f: [{ line: 1 }] } }],
  ["a change that is no number", "moveChange", { changeNumber: "Iab", destination_branch: "x" }],
])("%s is refused before anything is sent", async (_case, operation, args: JsonObject) => {
  expect(await problemOf(call(operation, args))).toMatchObject({ code: "SP1002", service: "review", operation });
});

test("a list that was cut off is refused", async () => {
  const body = `)]}'\n${JSON.stringify([change(1), change(2)]).slice(0, -20)}`;
  mock(service.url).get("/a/changes/?q=is%3Aopen").reply(200, body, headers);
  const problem = await problemOf(call("queryChanges", { q: "is:open" }));
  expect(problem).toMatchObject({ code: "SP3103", message: expect.stringMatching(/^Expected JSON/) });
});
