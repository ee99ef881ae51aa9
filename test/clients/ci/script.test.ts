import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { AnyScript, ReadScript } from "../../../src/clients/ci/script.ts";
import { openConnection } from "../../../src/clients/connect.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { mockHttp } from "../../support/http-mock.ts";
import { basicCredentials, problemOf, serviceOf, testClock } from "../fixtures.ts";

const mock = mockHttp();
const service = serviceOf("ci");
const tooDeep = expect.stringContaining("its outcome is JSON that is nested deeper than 500 levels");
const set = { name: "setSystemProperties", properties: { a: "1" } };

/** Runs a script to which the server answers with this text. */
function run(output: string, script: string | object = set, operation = "runScript") {
  mock(service.url).get("/crumbIssuer/api/json").reply(404, "", { "x-jenkins": "2.440.1" });
  mock(service.url).post("/scriptText").reply(200, output, { "content-type": "text/plain;charset=utf-8" });
  const connection = openConnection(service, { mode: "write", credentials: basicCredentials, clock: testClock() });
  onTestFinished(() => connection.close());
  return connection.call(operation, JSON.parse(JSON.stringify({ script })));
}

/** The arguments of a script, as Groovy decodes them. */
function valuesOf(script: string): unknown {
  return JSON.parse(Buffer.from(literalsOf(script).join(""), "base64").toString("utf8"));
}

function literalsOf(script: string): readonly string[] {
  const list = /\[([^\]]*)\]\.join\(''\)\.decodeBase64\(\)/.exec(script)?.[1] ?? "";
  return list.split(",").map((literal) => literal.slice(1, -1));
}

describe("the text of a script", () => {
  test("is the same whatever its values are, which it contains as data", () => {
    const fixed = (properties: Record<string, string | null>) =>
      AnyScript.parse({ name: "setSystemProperties", properties }).replace(/'[\w+/=]*'\]\.join/, "''].join");
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: anyCharacter }), fc.string({ unit: anyCharacter }), (name, value) => {
        const properties = Object.fromEntries([[name, value]]);
        expect(fixed(properties)).toBe(fixed({ x: "y" }));
      }),
    );
  });

  test.each(["'); System.exit(1); ('", "${x}", "\\", "*/", "\n", "ü😀"])("contains %j only as a value", (hard) => {
    expect(valuesOf(ReadScript.parse({ name: "systemProperties", properties: [hard] }))).toEqual({
      properties: [hard],
    });
    expect(valuesOf(AnyScript.parse(hard))).toEqual({ text: hard });
  });

  test("has no literal that is too long for the server's compiler", () => {
    const text = AnyScript.parse("ü".repeat(100_000));
    expect(valuesOf(text)).toEqual({ text: "ü".repeat(100_000) });
    expect(literalsOf(text).map(({ length }) => length)).toEqual([65_535, 65_535, 65_535, 65_535, 4_544]);
  });

  test("says of an unknown plugin whether the server has read its update sites: before, it knows none", () => {
    const text = AnyScript.parse({ name: "changePlugins", install: [{ plugin: "git" }], uninstall: [] });
    expect(text).toContain("updateCenter.sites.any { it.data == null } ?");
  });

  test("removes no plugin that an older one needs without saying so: the server brings it back at the restart", () => {
    const text = AnyScript.parse({ name: "changePlugins", install: [], uninstall: ["jdk-tool"] });
    expect(text).toContain(
      "getImpliedDependencies(other.shortName, other.requiredCoreVersion).any { it.shortName == name }",
    );
  });

  test.each([
    { name: "setSystemProperties", properties: { a: 1 } },
    { name: "changePlugins", install: [{ plugin: "" }], uninstall: [] },
    { name: "dropEverything" },
    "",
  ])("is not made from %j", (script) => {
    expect(AnyScript.safeParse(script).success).toBe(false);
  });

  test("of effect read is that of a script that only reads", () => {
    expect(ReadScript.safeParse("println 1").success).toBe(false);
    expect(ReadScript.safeParse(set).success).toBe(false);
  });
});

describe("the outcome of a script", () => {
  test("is on the last line, after everything that the script printed", async () => {
    const output = 'setpoint-outcome {"status":422}\nhi\n\nsetpoint-outcome {"status":200,"result":"42"}\n';
    expect(await run(output, "println 'hi'; 42")).toEqual({
      output: 'setpoint-outcome {"status":422}\nhi',
      result: "42",
    });
  });

  test("can end with the line break of another system", async () => {
    const output = '\r\nsetpoint-outcome {"status":200,"result":{"a":"1"}}\r\n';
    expect(await run(output)).toEqual({ output: "", result: { a: "1" } });
  });

  test("is a problem if it is nested so deeply that reading it would exhaust the stack", async () => {
    for (const status of [200, 422]) {
      const output = `\nsetpoint-outcome {"status":${status},"result":${"[".repeat(5000)}${"]".repeat(5000)}}\n`;
      expect(await problemOf(run(output))).toMatchObject({ code: "SP3103", message: tooDeep });
    }
  });

  test("is a problem if the script threw, although the status is 200", async () => {
    const output = '\nsetpoint-outcome {"status":422,"message":"java.lang.SecurityException: not allowed"}\n';
    expect(await problemOf(run(output))).toMatchObject({
      code: "SP3007",
      message: "The service answered 422: java.lang.SecurityException: not allowed.",
    });
  });

  test.each([
    ["a stack trace", "groovy.lang.MissingPropertyException: No such property\n\tat Script1.run(Script1.groovy:1)\n"],
    ["nothing", ""],
    ["a last line that was cut off", '\nsetpoint-outcome {"status":20'],
    ["a line after it", '\nsetpoint-outcome {"status":200}\nResult: 5\n'],
    ["an outcome of another form", '\nsetpoint-outcome {"ok":true}\n'],
  ])("is never made up from %s", async (_case, output) => {
    const { code, message } = await problemOf(run(output));
    expect(code).toBe("SP3103");
    expect(message).toMatch(/the script did not finish(?:: [^.]|\.$)/);
  });

  test("of a script that reads is checked", async () => {
    const script = { name: "systemProperties", properties: ["a"] };
    const output = '\nsetpoint-outcome {"status":200,"result":{"a":5}}\n';
    expect(await problemOf(run(output, script, "runReadScript"))).toMatchObject({ code: "SP3103" });
  });
});
