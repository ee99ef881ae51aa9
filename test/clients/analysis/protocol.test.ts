import { expect, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { problemOf, serviceOf, testClock, tokenCredentials } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("analysis", { url: "https://analysis.example.com:8443/kw" });

function answers(body: string, status = 200, times = 1) {
  mock("https://analysis.example.com:8443").post("/kw/review/api").times(times).reply(status, body);
}
function call(operation = "projects") {
  return openConnection(service, { mode: "read", credentials: tokenCredentials, clock: testClock() }).call(
    operation,
    {},
  );
}

test("user and login token are form fields beside the action", async () => {
  mock("https://analysis.example.com:8443")
    .post("/kw/review/api", { user: "robot", ltoken: "t0ken", action: "projects" })
    .matchHeader("authorization", (value) => !value)
    .reply(200, "");
  expect(await call()).toEqual([]);
});

test("a list of names is sent as a comma-separated list with its commas escaped", async () => {
  const sent = { user: "robot", ltoken: "t0ken", action: "create_group", name: "g", users: "a\\,b,c" };
  mock("https://analysis.example.com:8443").post("/kw/review/api", sent).reply(200, "");
  const connection = openConnection(service, { mode: "write", credentials: tokenCredentials, clock: testClock() });
  await connection.call("createGroup", { name: "g", users: ["a,b", "c"] });
});

test.each([
  ["", []],
  ["a", ["a"]],
  ["a\\,b,c", ["a,b", "c"]],
  [",a,b", ["", "a", "b"]],
  ["a,,b,", ["a", "", "b", ""]],
  ["a\\\\,b", ["a\\", "b"]],
])("%j is decoded as the list of names %j", async (users, names) => {
  answers(JSON.stringify({ name: "g", users }));
  expect(await call("groups")).toEqual([{ name: "g", users: names }]);
});

test.each([
  ["", []],
  ["\n", []],
  [
    '{"id":1,"name":"a"}\n{"id":"2","name":"b"}\n',
    [
      { id: 1, name: "a" },
      { id: "2", name: "b" },
    ],
  ],
  ['{"id":1,"name":"a"}\r\n', [{ id: 1, name: "a" }]],
])("%j is decoded as a list with one entry per line", async (body, expected) => {
  answers(body);
  expect(await call()).toEqual(expected);
});

test.each([
  [200, 400, "SP3007"],
  [200, 401, "SP3003"],
  [200, 404, "SP3005"],
  [500, 403, "SP3004"],
  [200, 2, "SP3007"],
])("on HTTP %i, an object with status %i is an error", async (status, inside, code) => {
  answers(JSON.stringify({ status: inside, message: "No such project." }), status);
  expect(await problemOf(call())).toMatchObject({ code, message: expect.stringContaining("No such project.") });
});

test("a record whose status is text is not an error", async () => {
  answers('{"id":1,"name":"a","status":"Analyze","message":"Memory leak"}');
  expect(await call()).toMatchObject([{ id: 1, name: "a" }]);
});

test("a list that is cut off within a line is refused", async () => {
  answers('{"id":1,"name":"a"}\n{"id":2,"na');
  expect(await problemOf(call())).toMatchObject({ code: "SP3103", message: expect.stringContaining("cut off") });
});
