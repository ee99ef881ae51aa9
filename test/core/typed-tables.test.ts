import { basename } from "node:path";
import ts from "typescript";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { HostingOperations } from "../../src/clients/hosting/operations.ts";
import type { LiveListOf } from "../../src/core/live-list.ts";
import type { ServiceExample } from "../clients/example.ts";
import { examples } from "../clients/services.ts";

/** Lines that must not compile, by what would be wrong. */
function refused({ typed: { write, args, less }, exchange }: ServiceExample) {
  const [read] = exchange.read;
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

function moduleOf(role: string, example: ServiceExample): string {
  const table = `${role.slice(0, 1).toUpperCase()}${role.slice(1)}Operations`;
  const { write, args } = example.typed;
  const [read] = example.exchange.read;
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
${Object.values(refused(example)).join("\n")}
`;
}

/** Promises about the call builder, live lists and descriptors that do not depend on a service. */
const more = {
  "a misspelt name within an argument": `review("modifyProjectAccess", { projectName: "p", add: { "refs/*": { permission: {} } } }, []);`,
  "a secret that the answer does not have": `wiki("createToken", { tokenDescription: "d" }, [], { from: "token", to: { file: "f" }, otherwise: { operation: "deleteToken", argument: "tokenId", from: "id" } });`,
  "a revocation by an argument that its operation does not have": `wiki("createToken", { tokenDescription: "d" }, [], { from: "plainTextToken", to: { file: "f" }, otherwise: { operation: "deleteToken", argument: "token", from: "id" } });`,
  "a live list of a read that the table does not have": `list({ operation: "l", naturalName: "name", row: "listRepos", args: {} });`,
  "a live list without an argument that its row requires": `list({ operation: "l", naturalName: "name", row: "listOrganizationRepositories", args: {} });`,
  "a live list named by a field that its records do not have": `list({ operation: "l", naturalName: "names", row: "listOrganizationRepositories", args: { org: about } });`,
  "joint reads that send what the table does not have": `describeService({ ...wikiService, proof, joinReads: (send) => ({ getPage: (args) => send("getPagee", args) }) });`,
  "a permit for a write that the table does not have": `permit({ operation: "createStatuses", args: {} });`,
  "a permit for a read": `permit({ operation: "getRepository", args: {} });`,
  "a permit with an argument that its write does not have": `permit({ operation: "createStatus", args: { contexts: "c" } });`,
  "a wait for an operation that the table does not have": `describeService({ ...wikiService, proof, awaited: { updatePagee: wait } });`,
  "a proof that is not in the table": `describeService({ ...wikiService, proof: { ...proof, product: "getCurrentUsers" } });`,
  "a proof that needs arguments": `describeService({ ...wikiService, proof: { ...proof, product: "getPage" } });`,
  "a joint read that the table does not have": `describeService({ ...wikiService, proof, joinReads: () => ({ getPagee: async () => undefined }) });`,
  "a live list with an argument that its row does not have": `list({ operation: "l", naturalName: "name", row: "listUserRepositories", args: { org: about } });`,
};
const moreModule = `import type { HostingOperations } from "../../src/clients/hosting/operations.ts";
import type { ReviewOperations } from "../../src/clients/review/operations.ts";
import type { WikiOperations } from "../../src/clients/wiki/operations.ts";
import { callOf } from "../../src/core/call.ts";
import type { LiveListArgument, LiveListOf } from "../../src/core/live-list.ts";
import type { PermitOf } from "../../src/publishers/publisher.ts";
import { type AwaitedCall, describeService } from "../../src/clients/service.ts";
import { wikiOperations } from "../../src/clients/wiki/operations.ts";
import { wikiService as wikiAsIs } from "../../src/clients/wiki/service.ts";
declare const wait: AwaitedCall;
const proof = { product: "getCurrentUser", documented: "getCurrentUser" } as const;
const wikiService = { role: "wiki", types: ["confluence"], credentials: { accepted: [["TOKEN"]], source: "s" }, protocol: wikiAsIs.protocol, operations: wikiOperations, checks: wikiAsIs.checks } as const;
describeService({ ...wikiService, proof, awaited: { updatePage: wait }, joinReads: () => ({ getPage: async () => undefined }) });
const review = callOf<ReviewOperations>();
const wiki = callOf<WikiOperations>();
declare const about: LiveListArgument;
declare function list(_: LiveListOf<HostingOperations>): void;
declare function permit(_: PermitOf<HostingOperations>): void;
permit({ operation: "createStatus", args: { context: "c" } });
wiki("createToken", { tokenDescription: "d" }, [], { from: "plainTextToken", to: { file: "f" }, otherwise: { operation: "deleteToken", argument: "tokenId", from: "id" } });
list({ operation: "l", naturalName: "name", row: "listOrganizationRepositories", args: { org: about } });
${Object.values(more).join("\n")}
`;

const services: readonly (readonly [role: string, example: ServiceExample])[] = Object.entries(examples);
const modules = new Map([
  ["more", moreModule],
  ...services.map(([role, example]) => [role, moduleOf(role, example)] as const),
]);
const wrongLines = compile(modules);

describe.each(services)("the operations of %s", (role, example) => {
  const wrong = wrongLines.get(role);

  test.each(Object.entries(refused(example)))("refuse %s", (_promise, line) => {
    expect(wrong).toContain(line);
  });

  test("refuse nothing else", () => {
    expect(wrong).toEqual(Object.values(refused(example)));
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
