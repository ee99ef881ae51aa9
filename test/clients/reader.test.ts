import { expect, test } from "vitest";
import { openConnection, readerOf, readersOf } from "../../src/clients/connect.ts";
import { hostingService } from "../../src/clients/hosting/service.ts";
import { reviewService } from "../../src/clients/review/service.ts";
import { type ProblemCode, ProblemError } from "../../src/core/problem.ts";
import type { JsonObject } from "../../src/core/text/json.ts";
import { mockHttp } from "../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock } from "./fixtures.ts";

const mock = mockHttp();
const review = serviceOf("review");
const product = { wire: "product" } as const;

type Calls = (readonly [string, JsonObject])[];

function failure(code: ProblemCode, message = "no"): ProblemError {
  return new ProblemError({ code, message });
}

function own(revision: string) {
  return { revision, local: {}, is_owner: true, config_visible: true, groups: {} };
}

/** A review service that answers with the project's name as revision. */
function answering(calls: Calls, bulk?: (projects: readonly string[]) => unknown) {
  return async (operation: string, args: JsonObject): Promise<unknown> => {
    calls.push([operation, args]);
    if (operation === "getProjectAccess") return own(String(args.projectName));
    const projects = reviewService.operations.listAccess.args.parse(args).project;
    if (bulk !== undefined) return bulk(projects);
    return Object.fromEntries(projects.map((project) => [project, own(decodeURIComponent(project))]));
  };
}

test("a reader has the reads of its table and nothing else", () => {
  const { modifyProjectAccess, moveChange, setReview, ...reads } = reviewService.operations;
  expect([modifyProjectAccess, moveChange, setReview].map(({ effect }) => effect)).toEqual(["write", "write", "write"]);
  expect(Object.keys(readerOf(answering([]), product, reviewService))).toEqual(Object.keys(reads));
});

test("equal reads share one request, whatever the order of their arguments", async () => {
  const calls: Calls = [];
  const call = async (operation: string, args: JsonObject) => calls.push([operation, args]);
  const read = readerOf(call, { wire: "product" }, hostingService);
  await Promise.all([
    read.getActionsPermissions({ org: "o", repo: "r" }),
    read.getActionsPermissions({ repo: "r", org: "o" }),
    read.getActionsPermissions({ org: "o", repo: "other" }),
  ]);
  await read.getActionsPermissions({ org: "o", repo: "r" });
  expect(calls).toHaveLength(2);
});

test("a failed read is not sent again by the same reader", async () => {
  let sent = 0;
  const call = async () => {
    sent += 1;
    throw failure("SP3101");
  };
  const read = readerOf(call, product, reviewService);
  for (let time = 0; time < 2; time++)
    expect(await problemOf(read.getProjectAccess({ projectName: "p" }))).toMatchObject({ code: "SP3101" });
  expect(sent).toBe(1);
});

test("one project's access is one plain request", async () => {
  const calls: Calls = [];
  const read = readerOf(answering(calls), product, reviewService);
  await Promise.all([read.getProjectAccess({ projectName: "p" }), read.getProjectAccess({ projectName: "p" })]);
  expect(calls).toEqual([["getProjectAccess", { projectName: "p" }]]);
});

test("the access of several projects requested at the same time is one request", async () => {
  const calls: Calls = [];
  const read = readerOf(answering(calls), product, reviewService);
  const names = ["platform/core", "ü+%2F"];
  const found = await Promise.all(names.map((projectName) => read.getProjectAccess({ projectName })));
  expect(found.map(({ revision }) => revision)).toEqual(names);
  expect(calls).toEqual([["listAccess", { project: ["platform%2Fcore", "%C3%BC%2B%252F"] }]]);
});

test("a bulk request has at most 25 projects", async () => {
  const calls: Calls = [];
  const read = readerOf(answering(calls), product, reviewService);
  await Promise.all(Array.from({ length: 51 }, (_, index) => read.getProjectAccess({ projectName: `p${index}` })));
  expect(calls.map(([operation]) => operation)).toEqual(["listAccess", "listAccess", "getProjectAccess"]);
});

test("the keys of an answer can be plain names, and a missing project is read separately", async () => {
  const calls: Calls = [];
  const read = readerOf(
    answering(calls, () => ({ "a/b": own("plain") })),
    product,
    reviewService,
  );
  const found = await Promise.all(["a/b", "c"].map((projectName) => read.getProjectAccess({ projectName })));
  expect(found.map(({ revision }) => revision)).toEqual(["plain", "c"]);
  expect(calls.map(([operation]) => operation)).toEqual(["listAccess", "getProjectAccess"]);
});

test.each(["SP3004", "SP3005", "SP3007", "SP3103"] as const)(
  "if the bulk request fails with %s, each project is requested separately",
  async (code) => {
    const calls: Calls = [];
    const bulk = () => {
      throw failure(code);
    };
    const read = readerOf(answering(calls, bulk), product, reviewService);
    await Promise.all(["a", "b"].map((projectName) => read.getProjectAccess({ projectName })));
    expect(calls.map(([operation]) => operation)).toEqual(["listAccess", "getProjectAccess", "getProjectAccess"]);
  },
);

test.each([
  [500, ["unreadable", "there"]],
  [503, ["unreadable", "unreadable"]],
] as const)(
  "a bulk request that ends with %d leaves projects %j: one may be broken, or the service",
  async (status, expected) => {
    const call = async (operation: string, args: JsonObject) => {
      if (operation === "listAccess" || args.projectName === "broken")
        throw failure("SP3009", `The service answered ${status}.`);
      return own("there");
    };
    const read = readerOf(call, product, reviewService);
    const found = ["broken", "sound"].map((projectName) =>
      read.getProjectAccess({ projectName }).then(
        ({ revision }) => revision,
        () => "unreadable",
      ),
    );
    expect(await Promise.all(found)).toEqual(expected);
  },
);

test("a project that fails does not cost the others their answers", async () => {
  const call = async (operation: string, args: JsonObject) => {
    if (operation === "listAccess" || args.projectName === "gone") throw failure("SP3005");
    return own(String(args.projectName));
  };
  const read = readerOf(call, product, reviewService);
  const gone = read.getProjectAccess({ projectName: "gone" });
  const there = read.getProjectAccess({ projectName: "there" });
  expect(await problemOf(gone)).toMatchObject({ code: "SP3005" });
  expect(await there).toMatchObject({ revision: "there" });
});

test("if the bulk request fails because the service is down, nothing is sent again", async () => {
  const calls: Calls = [];
  const bulk = () => {
    throw failure("SP3101");
  };
  const read = readerOf(answering(calls, bulk), product, reviewService);
  const both = ["a", "b"].map((projectName) => problemOf(read.getProjectAccess({ projectName })));
  expect(await Promise.all(both)).toMatchObject([{ code: "SP3101" }, { code: "SP3101" }]);
  expect(calls).toHaveLength(1);
});

test("under wire: documented, each project is one request", async () => {
  const calls: Calls = [];
  const read = readerOf(answering(calls), { wire: "documented" }, reviewService);
  await Promise.all(["a", "b"].map((projectName) => read.getProjectAccess({ projectName })));
  expect(calls.map(([operation]) => operation)).toEqual(["getProjectAccess", "getProjectAccess"]);
});

test("project names are encoded twice on the wire, because the server decodes them twice", async () => {
  const guarded = (body: unknown) => `)]}'\n${JSON.stringify(body)}`;
  mock(review.url)
    .get((path) => path === "/a/access/?project=a%252Fb&project=c%252Bd")
    .reply(200, guarded({ "a%2Fb": own("1"), "c%2Bd": own("2") }), { "content-type": "application/json" });
  const connection = openConnection(review, { mode: "read", credentials: basicCredentials, clock: testClock() });
  const call: typeof connection.call = (operation, args) => connection.call(operation, args);
  const read = readerOf(call, review, reviewService);
  const found = await Promise.all(["a/b", "c+d"].map((projectName) => read.getProjectAccess({ projectName })));
  expect(found.map(({ revision }) => revision)).toEqual(["1", "2"]);
  expect(connection.requests).toEqual({ reads: 1, writes: 0 });
});

test("every reader of a connection reads afresh", async () => {
  const connection = openConnection(review, { mode: "read", credentials: basicCredentials, clock: testClock() });
  const open = readersOf(connection, review);
  expect(open()).not.toBe(open());
  expect(open()).toHaveProperty("getProjectAccess");
});
