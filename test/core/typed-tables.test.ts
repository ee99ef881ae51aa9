import { describe, expectTypeOf, test } from "vitest";
import type { AnalysisOperations } from "../../src/clients/analysis/operations.ts";
import type { ArtifactsOperations } from "../../src/clients/artifacts/operations.ts";
import type { CiOperations } from "../../src/clients/ci/operations.ts";
import type { HostingOperations } from "../../src/clients/hosting/operations.ts";
import type { ReviewOperations } from "../../src/clients/review/operations.ts";
import type { TrackerOperations } from "../../src/clients/tracker/operations.ts";
import type { WikiOperations } from "../../src/clients/wiki/operations.ts";
import { type CallOf, callOf } from "../../src/core/call.ts";
import type { Kind } from "../../src/core/kind.ts";
import type { LiveListArgument, LiveListOf } from "../../src/core/live-list.ts";
import type { Arguments, Operation, OperationTable, Reader } from "../../src/core/operation.ts";

/*
 * None of this runs: `npm run types` judges it, which fails where a line below the words "@ts-expect-error" compiles, and where
 * another one does not.
 */

interface Given<Table extends OperationTable> {
  readonly read: Reader<Table>;
  readonly kind: (_: Pick<Kind<unknown, Table, unknown>, "compile">) => void;
  /** A call of another service. */
  readonly foreign: CallOf<{ readonly arrange: Operation<Arguments, never, "write"> }>;
  readonly is: boolean;
}

describe("the operations of a service refuse what they do not have, and nothing else", () => {
  test("artifacts", () => {
    const call = callOf<ArtifactsOperations>();
    const args = { repoKey: "r", path: "p" } as const;
    expectTypeOf(({ read, kind, foreign, is }: Given<ArtifactsOperations>) => {
      kind({ compile: () => [call("deleteItem", args, [])] });
      // @ts-expect-error A misspelt operation.
      call("deleteItems", args, []);
      // @ts-expect-error A misspelt argument.
      call("deleteItem", { ...args, nonesuch: 1 }, []);
      // @ts-expect-error A misspelt argument under a condition.
      call("deleteItem", { ...args, ...(is ? { nonesuch: [] } : {}) }, []);
      // @ts-expect-error A call without an argument that it needs.
      call("deleteItem", { repoKey: "r" }, []);
      // @ts-expect-error A call of a read.
      call("getItem", args, []);
      // @ts-expect-error A call that no builder has made.
      kind({ compile: () => [{ operation: "deleteItem", args, carries: [] }] });
      // @ts-expect-error A call of another service.
      kind({ compile: () => [foreign] });
      // @ts-expect-error A write by a reader.
      read.deleteItem(args);
      return read.getItem;
    }).toBeFunction();
  });

  test("hosting", () => {
    const call = callOf<HostingOperations>();
    const args = { org: "o", repo: "r", enabled: true } as const;
    expectTypeOf(({ read, kind, foreign, is }: Given<HostingOperations>) => {
      kind({ compile: () => [call("setActionsPermissions", args, [])] });
      // @ts-expect-error A misspelt operation.
      call("setActionsPermissionss", args, []);
      // @ts-expect-error A misspelt argument.
      call("setActionsPermissions", { ...args, nonesuch: 1 }, []);
      // @ts-expect-error A misspelt argument under a condition.
      call("setActionsPermissions", { ...args, ...(is ? { nonesuch: [] } : {}) }, []);
      // @ts-expect-error A call without an argument that it needs.
      call("setActionsPermissions", { org: "o", repo: "r" }, []);
      // @ts-expect-error A call of a read.
      call("getActionsPermissions", args, []);
      // @ts-expect-error A call that no builder has made.
      kind({ compile: () => [{ operation: "setActionsPermissions", args, carries: [] }] });
      // @ts-expect-error A call of another service.
      kind({ compile: () => [foreign] });
      // @ts-expect-error A write by a reader.
      read.setActionsPermissions(args);
      return read.getActionsPermissions;
    }).toBeFunction();
  });

  test("review", () => {
    const call = callOf<ReviewOperations>();
    const args = { projectName: "p" } as const;
    expectTypeOf(({ read, kind, foreign, is }: Given<ReviewOperations>) => {
      kind({ compile: () => [call("modifyProjectAccess", args, [])] });
      // @ts-expect-error A misspelt operation.
      call("modifyProjectAccesss", args, []);
      // @ts-expect-error A misspelt argument.
      call("modifyProjectAccess", { ...args, nonesuch: 1 }, []);
      // @ts-expect-error A misspelt argument under a condition.
      call("modifyProjectAccess", { ...args, ...(is ? { nonesuch: [] } : {}) }, []);
      // @ts-expect-error A call without an argument that it needs.
      call("modifyProjectAccess", {}, []);
      // @ts-expect-error A call of a read.
      call("getProjectAccess", args, []);
      // @ts-expect-error A call that no builder has made.
      kind({ compile: () => [{ operation: "modifyProjectAccess", args, carries: [] }] });
      // @ts-expect-error A call of another service.
      kind({ compile: () => [foreign] });
      // @ts-expect-error A write by a reader.
      read.modifyProjectAccess(args);
      return read.getProjectAccess;
    }).toBeFunction();
  });

  test("ci", () => {
    const call = callOf<CiOperations>();
    const args = { job: "j", config: "x" } as const;
    expectTypeOf(({ read, kind, foreign, is }: Given<CiOperations>) => {
      kind({ compile: () => [call("updateJobConfig", args, [])] });
      // @ts-expect-error A misspelt operation.
      call("updateJobConfigs", args, []);
      // @ts-expect-error A misspelt argument.
      call("updateJobConfig", { ...args, nonesuch: 1 }, []);
      // @ts-expect-error A misspelt argument under a condition.
      call("updateJobConfig", { ...args, ...(is ? { nonesuch: [] } : {}) }, []);
      // @ts-expect-error A call without an argument that it needs.
      call("updateJobConfig", { job: "j" }, []);
      // @ts-expect-error A call of a read.
      call("getJobConfig", args, []);
      // @ts-expect-error A call that no builder has made.
      kind({ compile: () => [{ operation: "updateJobConfig", args, carries: [] }] });
      // @ts-expect-error A call of another service.
      kind({ compile: () => [foreign] });
      // @ts-expect-error A write by a reader.
      read.updateJobConfig(args);
      return read.getJobConfig;
    }).toBeFunction();
  });

  test("analysis", () => {
    const call = callOf<AnalysisOperations>();
    const args = { project: "p", name: "n" } as const;
    expectTypeOf(({ read, kind, foreign, is }: Given<AnalysisOperations>) => {
      kind({ compile: () => [call("deleteBuild", args, [])] });
      // @ts-expect-error A misspelt operation.
      call("deleteBuilds", args, []);
      // @ts-expect-error A misspelt argument.
      call("deleteBuild", { ...args, nonesuch: 1 }, []);
      // @ts-expect-error A misspelt argument under a condition.
      call("deleteBuild", { ...args, ...(is ? { nonesuch: [] } : {}) }, []);
      // @ts-expect-error A call without an argument that it needs.
      call("deleteBuild", { project: "p" }, []);
      // @ts-expect-error A call of a read.
      call("builds", args, []);
      // @ts-expect-error A call that no builder has made.
      kind({ compile: () => [{ operation: "deleteBuild", args, carries: [] }] });
      // @ts-expect-error A call of another service.
      kind({ compile: () => [foreign] });
      // @ts-expect-error A write by a reader.
      read.deleteBuild(args);
      return read.builds;
    }).toBeFunction();
  });

  test("tracker", () => {
    const call = callOf<TrackerOperations>();
    const args = { key: "k", value: "v" } as const;
    expectTypeOf(({ read, kind, foreign, is }: Given<TrackerOperations>) => {
      kind({ compile: () => [call("setPreference", args, [])] });
      // @ts-expect-error A misspelt operation.
      call("setPreferences", args, []);
      // @ts-expect-error A misspelt argument.
      call("setPreference", { ...args, nonesuch: 1 }, []);
      // @ts-expect-error A misspelt argument under a condition.
      call("setPreference", { ...args, ...(is ? { nonesuch: [] } : {}) }, []);
      // @ts-expect-error A call without an argument that it needs.
      call("setPreference", { key: "k" }, []);
      // @ts-expect-error A call of a read.
      call("getPreference", args, []);
      // @ts-expect-error A call that no builder has made.
      kind({ compile: () => [{ operation: "setPreference", args, carries: [] }] });
      // @ts-expect-error A call of another service.
      kind({ compile: () => [foreign] });
      // @ts-expect-error A write by a reader.
      read.setPreference(args);
      return read.getPreference;
    }).toBeFunction();
  });

  test("wiki", () => {
    const call = callOf<WikiOperations>();
    const args = { tokenId: 1 } as const;
    expectTypeOf(({ read, kind, foreign, is }: Given<WikiOperations>) => {
      kind({ compile: () => [call("deleteToken", args, [])] });
      // @ts-expect-error A misspelt operation.
      call("deleteTokens", args, []);
      // @ts-expect-error A misspelt argument.
      call("deleteToken", { ...args, nonesuch: 1 }, []);
      // @ts-expect-error A misspelt argument under a condition.
      call("deleteToken", { ...args, ...(is ? { nonesuch: [] } : {}) }, []);
      // @ts-expect-error A call without an argument that it needs.
      call("deleteToken", {}, []);
      // @ts-expect-error A call of a read.
      call("getPage", args, []);
      // @ts-expect-error A call that no builder has made.
      kind({ compile: () => [{ operation: "deleteToken", args, carries: [] }] });
      // @ts-expect-error A call of another service.
      kind({ compile: () => [foreign] });
      // @ts-expect-error A write by a reader.
      read.deleteToken(args);
      return read.getPage;
    }).toBeFunction();
  });
});

describe("a table's types", () => {
  test("refuse a misspelt name within an argument", () => {
    const review = callOf<ReviewOperations>();
    expectTypeOf(() => {
      // @ts-expect-error
      review("modifyProjectAccess", { projectName: "p", add: { "refs/*": { permission: {} } } }, []);
    }).toBeFunction();
  });

  test("refuse a secret that the answer does not have, and a revocation by an argument that its operation does not have", () => {
    const wiki = callOf<WikiOperations>();
    const args = { tokenDescription: "d" };
    const to = { file: "f" };
    const otherwise = { operation: "deleteToken", argument: "tokenId", from: "id" } as const;
    expectTypeOf(() => {
      wiki("createToken", args, [], { from: "plainTextToken", to, otherwise });
      // @ts-expect-error
      wiki("createToken", args, [], { from: "token", to, otherwise });
      // @ts-expect-error
      wiki("createToken", args, [], { from: "plainTextToken", to, otherwise: { ...otherwise, argument: "token" } });
    }).toBeFunction();
  });

  test("refuse a live list of a read that the table does not have, or with an argument that its row does not have", () => {
    expectTypeOf((list: (_: LiveListOf<HostingOperations>) => void, org: LiveListArgument) => {
      const named = { operation: "l", naturalName: "name" } as const;
      list({ ...named, row: "listOrganizationRepositories", args: { org } });
      // @ts-expect-error
      list({ ...named, row: "listRepos", args: {} });
      // @ts-expect-error
      list({ ...named, row: "listUserRepositories", args: { org } });
    }).toBeFunction();
  });

  test("name the reads of live lists, with their arguments", () => {
    type Lists = LiveListOf<HostingOperations>;
    expectTypeOf<"createStatus">().not.toExtend<Lists["row"]>();
    expectTypeOf<keyof Extract<Lists, { readonly row: "listUserRepositories" }>["args"]>().toEqualTypeOf<
      "type" | "page" | "per_page"
    >();
  });
});
