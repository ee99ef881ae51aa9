import { describe, expect, test } from "vitest";
import { type Problem, ProblemError } from "../../src/core/problem.ts";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { parseWorld } from "../../src/sandbox/world.ts";

const account = '{ "username": "ada", "name": "Ada", "secret": "ADA", "rights": "admin" }';

/** Returns the problems of a text that is not a world. */
function problemsOf(text: string): readonly Problem[] {
  try {
    parseWorld(text, "world.json");
  } catch (error) {
    if (error instanceof ProblemError) return error.problems;
    throw error;
  }
  return [];
}

describe("a world file", () => {
  test("may omit every service", () => {
    expect(parseWorld(`{ "accounts": [${account}] }`, "world.json")).toMatchObject({
      review: { projects: { "All-Projects": { access: {} } } },
      hosting: { repositories: [] },
      analysis: { roles: [] },
      wiki: { pages: {} },
    });
  });

  test("may be the state that a sandbox returns", () => {
    expect(parseWorld(JSON.stringify(defaultWorld()), "world.json")).toEqual(defaultWorld());
  });

  test.each([
    ["is not JSON", "{", "SP1001", 1, 2],
    ["is YAML", `accounts: [${account}]`, "SP1001", 1, 1],
    [
      "is nested so deeply that reading it would exhaust the stack",
      `${"[".repeat(5000)}${"]".repeat(5000)}`,
      "SP1011",
      1,
      1,
    ],
    ["is nested deeply", `${"[".repeat(500)}${"]".repeat(500)}`, "SP1002", 1, 1],
    ["has a name twice", `{\n  "accounts": [${account}],\n  "accounts": []\n}`, "SP1005", 3, 3],
    ["has no accounts", "{}", "SP1003", 1, 1],
    ["has a service that is not known", `{\n  "accounts": [${account}],\n  "mail": {}\n}`, "SP1004", 3, 11],
    ["has a value of another type", `{\n  "accounts": [${account}],\n  "wiki": { "pages": 3 }\n}`, "SP1002", 3, 22],
    [
      "has one secret for two",
      `{\n  "accounts": [\n    ${account}, ${account.replace("ada", "bob")}] }`,
      "SP1002",
      2,
      15,
    ],
    [
      "has a parent that is not a project",
      `{\n  "accounts": [${account}],\n  "review": { "projects": { "a": {\n    "parent": "b" } } }\n}`,
      "SP1002",
      4,
      15,
    ],
    [
      "has a parent by the name of what every object has",
      `{\n  "accounts": [${account}],\n  "review": { "projects": { "a": {\n    "parent": "toString" } } }\n}`,
      "SP1002",
      4,
      15,
    ],
    [
      "has a project that inherits from itself",
      `{\n  "accounts": [${account}],\n  "review": { "projects": { "All-Projects": {\n    "parent": "All-Projects" } } }\n}`,
      "SP1002",
      4,
      15,
    ],
  ])("that %s is a problem with its place", (_, text, code, line, column) => {
    expect(problemsOf(text)).toMatchObject([{ code, place: { file: "world.json", line, column } }]);
  });

  test("reports all its errors together", () => {
    const text = `{ "accounts": [${account}], "wiki": { "pages": { "one": {} } }, "hosting": { "repositories": 1 } }`;
    expect(problemsOf(text).map(({ message }) => message)).toEqual([
      "hosting.repositories is not a list.",
      expect.stringMatching(/^The name "one": /),
    ]);
  });
});
