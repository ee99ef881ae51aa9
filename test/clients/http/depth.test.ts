import { expect, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { jsonIfAny, parseJson } from "../../../src/clients/http/answer.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { problemOf, serviceOf, testClock } from "../fixtures.ts";
import { examples } from "../services.ts";

const mock = mockHttp();

const nested = (levels: number, core = "") => `${"[".repeat(levels)}${core}${"]".repeat(levels)}`;
const tooDeep = "JSON that is nested deeper than 500 levels";

test("500 levels are read, and brackets inside strings do not count", () => {
  const cores = [
    [500, ""],
    [500, '"[{[{"'],
    [500, '"\\"[[["'],
    [499, '"\\\\",{"[":"]"}'],
  ] as const;
  for (const [levels, core] of cores) expect(parseJson(nested(levels, core), "JSON")).toHaveLength(1);
  expect(parseJson(`[${"[],{},".repeat(1000)}0]`, "JSON")).toHaveLength(2001);
});

test("deeper JSON is refused before it is parsed, and in an error page it is not treated as JSON", () => {
  for (const text of [nested(501), `{"a":`.repeat(501), "[".repeat(1_000_000), `["\\\\",${nested(500)}]`])
    expect(() => parseJson(text, "JSON")).toThrow(
      expect.objectContaining({ message: expect.stringContaining(tooDeep) }),
    );
  const answer = { status: 500, headers: {}, body: Buffer.from(nested(100_000)) };
  expect(jsonIfAny(answer)).toBeUndefined();
});

test.each(["review", "tracker", "wiki", "analysis"] as const)(
  "an answer of %s that is nested too deeply is a problem",
  async (role) => {
    const client = examples[role].exchange;
    const service = serviceOf(role);
    const guard = role === "review" ? ")]}'\n" : "";
    mock(service.url)
      .intercept(client.path, client.method)
      .reply(200, `${guard}${nested(100_000)}`, { "content-type": "application/json" });
    const { credentials } = client;
    const connection = openConnection(service, { mode: "read", credentials, clock: testClock() });
    const problem = await problemOf(connection.call(...client.read));
    expect(problem).toMatchObject({ code: "SP3103", message: expect.stringContaining(tooDeep) });
  },
);
