import { basename } from "node:path";
import ts from "typescript";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { HostingOperations } from "../../src/clients/hosting/operations.ts";
import type { LiveListOf } from "../../src/core/live-list.ts";
import type {} from "../../src/core/operation.ts";

/** For each service: a write with arguments that it accepts, the same without a required one, and a read. */
const services = {
  artifacts: { write: "deleteItem", args: '{ repoKey: "r", path: "p" }', less: '{ repoKey: "r" }', read: "getItem" },
  hosting: {
    write: "setActionsPermissions",
    args: '{ org: "o", repo: "r", enabled: true }',
    less: '{ org: "o", repo: "r" }',
    read: "getActionsPermissions",
  },
  review: { write: "modifyProjectAccess", args: '{ projectName: "p" }', less: "{}", read: "getProjectAccess" },
  ci: { write: "updateJobConfig", args: '{ job: "j", config: "x" }', less: '{ job: "j" }', read: "getJobConfig" },
  analysis: { write: "deleteBuild", args: '{ project: "p", name: "n" }', less: '{ project: "p" }', read: "builds" },
  tracker: { write: "setPreference", args: '{ key: "k", value: "v" }', less: '{ key: "k" }', read: "getPreference" },
  wiki: { write: "deleteToken", args: "{ tokenId: 1 }", less: "{}", read: "getPage" },
} as const;

/** Lines that must not compile, by what would be wrong. */
function refused({ write, args, less, read }: (typeof services)[keyof typeof services]) {
  return {
    "a misspelt operation": `call("${write}s", ${args}, []);`,
    "a misspelt argument": `call("${write}", { ...${args}, nonesuch: 1 }, []);`,
    "a misspelt argument under a condition": `call("${write}", { ...${args}, ...(is ? { nonesuch: [] } : {}) }, []);`,
    "a call without an argument that it needs": `call("${write}", ${less}, []);`,
    "a call of a read": `call("${read}", ${args}, []);`,
    "a call that no builder has made": `kind({ compile: () => [{ operation: "${write}", args: ${args}, carries: [] }] });`,
    "a call of another service": `kind({ compile: () => [foreign] });`,
    "a write by a reader": `read.${write}(${args});`,
  };
}

function moduleOf(role: keyof typeof services): string {
  const table = `${role.slice(0, 1).toUpperCase()}${role.slice(1)}Operations`;
  const { write, read, args } = services[role];
  return `import type { ${table} } from "../../src/clients/${role}/operations.ts";
import { type CallOf, callOf } from "../../src/core/call.ts";
import type { Kind } from "../../src/core/kind.ts";
import type { Arguments, Operation, Reader } from "../../src/core/operation.ts";
const call = callOf<${table}>();
declare const foreign: CallOf<{ readonly arrange: Operation<Arguments, never, "write"> }>;
declare function kind(_: Pick<Kind<unknown, ${table}, unknown>, "compile">): void;
declare const is: boolean;
declare const read: Reader<${table}>;
export const known = read.${read};
kind({ compile: () => [call("${write}", ${args}, [])] });
${Object.values(refused(services[role])).join("\n")}
`;
}

/** Promises about the call builder and live lists that do not depend on a service. */
const more = {
  "a misspelt name within an argument": `review("modifyProjectAccess", { projectName: "p", add: { "refs/*": { permission: {} } } }, []);`,
  "a secret that the answer does not have": `wiki("createToken", { tokenDescription: "d" }, [], { from: "token", to: { file: "f" }, otherwise: { operation: "deleteToken", argument: "tokenId", from: "id" } });`,
  "a revocation by an argument that its operation does not have": `wiki("createToken", { tokenDescription: "d" }, [], { from: "plainTextToken", to: { file: "f" }, otherwise: { operation: "deleteToken", argument: "token", from: "id" } });`,
  "a live list of a read that the table does not have": `list({ operation: "l", naturalName: "name", row: "listRepos", args: {} });`,
  "a live list with an argument that its row does not have": `list({ operation: "l", naturalName: "name", row: "listUserRepositories", args: { org: about } });`,
};
const moreModule = `import type { HostingOperations } from "../../src/clients/hosting/operations.ts";
import type { ReviewOperations } from "../../src/clients/review/operations.ts";
import type { WikiOperations } from "../../src/clients/wiki/operations.ts";
import { callOf } from "../../src/core/call.ts";
import type { LiveListArgument, LiveListOf } from "../../src/core/live-list.ts";
const review = callOf<ReviewOperations>();
const wiki = callOf<WikiOperations>();
declare const about: LiveListArgument;
declare function list(_: LiveListOf<HostingOperations>): void;
wiki("createToken", { tokenDescription: "d" }, [], { from: "plainTextToken", to: { file: "f" }, otherwise: { operation: "deleteToken", argument: "tokenId", from: "id" } });
list({ operation: "l", naturalName: "name", row: "listOrganizationRepositories", args: { org: about } });
${Object.values(more).join("\n")}
`;

const roles = ["artifacts", "hosting", "review", "ci", "analysis", "tracker", "wiki"] as const;
const modules = new Map([["more", moreModule], ...roles.map((role) => [role, moduleOf(role)] as const)]);
const wrongLines = compile(modules);

describe.each(roles)("the operations of %s", (role) => {
  const wrong = wrongLines.get(role);

  test.each(Object.entries(refused(services[role])))("refuse %s", (_promise, line) => {
    expect(wrong).toContain(line);
  });

  test("refuse nothing else", () => {
    expect(wrong).toEqual(Object.values(refused(services[role])));
  });
});

describe("the types of a table", () => {
  test("refuse only what is wrong", () => {
    expect(wrongLines.get("more")).toEqual(Object.values(more));
  });

  test("name the reads of live lists, with their arguments", () => {
    type Lists = LiveListOf<HostingOperations>;
    expectTypeOf<"createStatus">().not.toExtend<Lists["row"]>();
    expectTypeOf<keyof Extract<Lists, { readonly row: "listUserRepositories" }>["args"]>().toEqualTypeOf<
      "type" | "page" | "per_page"
    >();
  });
});

/** The lines of each module with a compile error, checked in one program with the project's own settings. */
function compile(sources: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const root = new URL("../../", import.meta.url);
  const { config } = ts.readConfigFile(new URL("tsconfig.json", root).pathname, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root.pathname);
  const files = new Map(
    [...sources].map(([name, source]) => [new URL(`test/core/${name}.snippet.ts`, root).pathname, source]),
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, language, ...rest) => {
    const source = files.get(path);
    return source === undefined ? getSourceFile(path, language, ...rest) : ts.createSourceFile(path, source, language);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return new Map(
    [...files].map(([path, source]) => {
      const lines = source.split("\n");
      const file = program.getSourceFile(path);
      const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
        ({ start = 0 }) => lines[file?.getLineAndCharacterOfPosition(start).line ?? 0] ?? "",
      );
      return [basename(path, ".snippet.ts"), [...new Set(found)]];
    }),
  );
}
