import { expect, test } from "vitest";
import { analysisOperations } from "../../../src/clients/analysis/operations.ts";
import { openConnection } from "../../../src/clients/connect.ts";
import { Secret } from "../../../src/core/secret.ts";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { problemOf, serviceOf, testClock, tokenCredentials } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("analysis");

function call(operation: string, args: JsonObject) {
  const connection = openConnection(service, {
    mode: "write",
    credentials: tokenCredentials,
    clock: testClock(),
    resolveSecret: async () => new Secret("hidden"),
  });
  return connection.call(operation, args);
}

const source = { sourceURL: "https://old.example.com", sourceAdmin: "root", sourcePassword: "${env:OLD}" };

test.each([
  [
    "search",
    { project: "p", query: { build: "b 1", severity: 1 } },
    { action: "search", query: "build:+'b 1' severity:1" },
  ],
  [
    "updateStatus",
    { project: "p", ids: [1, 2], status: "Fix" },
    { action: "update_status", ids: "1,2", status: "Fix" },
  ],
  [
    "createModule",
    { project: "p", name: "m", paths: ["a/**", "b,c"] },
    { action: "create_module", paths: "a/**,b\\,c" },
  ],
  ["updateView", { project: "p", name: "v", tags: ["x", "y"] }, { action: "update_view", tags: "x,y" }],
  ["importProject", { project: "p", ...source }, { action: "import_project", sourcePassword: "hidden" }],
  ["updateDefectType", { project: "p", code: "C", enabled: false }, { action: "update_defect_type", enabled: "false" }],
])("%s %j is sent as a form", async (operation, args: JsonObject, fields: Readonly<Record<string, string>>) => {
  mock(service.url)
    .post("/review/api", (body) => Object.entries(fields).every(([name, value]) => body[name] === value))
    .matchHeader("content-type", "application/x-www-form-urlencoded;charset=UTF-8")
    .reply(200, "");
  await call(operation, args);
});

test.each(Object.entries(analysisOperations).filter(([, { secrets = [] }]) => secrets.length > 0))(
  "%s never shows its secrets",
  async (name, { secrets = [], args }) => {
    const all = Object.keys(args.shape).map((argument) => [argument, secrets.includes(argument) ? "${env:X}" : "x"]);
    mock(service.url).post("/review/api").reply(400, '{"status":400,"message":"refused with hidden"}');
    const problem = await problemOf(call(name, Object.fromEntries(all)));
    expect(problem.message).toContain("refused with •••");
  },
);

test("an error after records means that the list is incomplete", async () => {
  const lines = ['{"id":"1","status":"Analyze"}', '{"status":500,"message":"The index is being rebuilt."}', ""];
  mock(service.url).post("/review/api").times(4).reply(200, lines.join("\n"));
  expect(await problemOf(call("search", { project: "p" }))).toMatchObject({
    code: "SP3009",
    message: expect.stringContaining("The index is being rebuilt"),
  });
});

test("issues, whose status is text, and a summary without an id count as records", async () => {
  const lines = ['{"summary":{"total":1}}', '{"id":7,"status":"Fix","message":"m","more":true}'];
  mock(service.url).post("/review/api").reply(200, lines.join("\n"));
  expect(await call("search", { project: "p", summary: true })).toEqual([
    { summary: { total: 1 } },
    { id: 7, status: "Fix", message: "m", more: true },
  ]);
});

test("ids and dates of another type are rejected by name", async () => {
  mock(service.url).post("/review/api").reply(200, '{"id":"1","name":"b","date":"today","keepit":false}');
  const { code, message } = await problemOf(call("builds", { project: "p" }));
  expect([code, message]).toEqual([
    "SP3103",
    expect.stringMatching(/\[0\]\.id is not a number; \[0\]\.date is not a number/),
  ]);
});

test.each([
  [999, 999],
  [1000, "SP3104"],
  [1500, 1500],
])(
  "a search without a limit that finds %i issues is cut only if their number is the limit",
  async (count, expected) => {
    const lines = Array.from({ length: count }, (_, id) => `{"id":${id}}\n`).join("");
    mock(service.url).post("/review/api").reply(200, lines);
    const found = call("search", { project: "p" });
    expect(expected === "SP3104" ? (await problemOf(found)).code : await found).toEqual(
      expected === "SP3104" ? expected : expect.objectContaining({ length: expected }),
    );
  },
);
