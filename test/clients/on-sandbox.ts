import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { openConnection } from "../../src/clients/connect.ts";
import { credentialsFor } from "../../src/clients/credentials/credentials-for.ts";
import type { pluginTokenOperations } from "../../src/clients/tokens.ts";
import { Secret } from "../../src/core/secret.ts";
import type { JsonObject } from "../../src/core/text/json.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { sandboxForTest } from "../sandbox/asking.ts";
import { type Role, rootsOf } from "../support/roles.ts";
import { serviceOf } from "./fixtures.ts";

/** A call to a sandbox, and its expected result. `folder` is for files, and is removed after the test. */
export interface Case {
  readonly args: JsonObject | ((sandbox: Sandbox, folder: string) => JsonObject);
  readonly before?: (sandbox: Sandbox) => void;
  readonly result: unknown;
  readonly after?: (sandbox: Sandbox, folder: string, wire: "product" | "documented") => void;
}

/** Calls an operation on a sandbox of its own, as its first administrator, and compares the result. */
export async function callOnSandbox(
  role: Role,
  wire: "product" | "documented",
  operation: string,
  { args, before, result, after }: Case,
): Promise<void> {
  const sandbox = await sandboxForTest();
  const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  before?.(sandbox);
  const service = serviceOf(role, { url: sandbox.services[role].url, wire, urls: rootsOf(role, sandbox.url) });
  const credentials = credentialsFor(service, environmentFor(sandbox.url));
  const connection = openConnection(service, { mode: "write", credentials, pageAll: true });
  onTestFinished(() => connection.close());
  const answered = await connection.call(operation, typeof args === "function" ? args(sandbox, folder) : args);
  expect({ answered }).toMatchObject({ answered: result });
  after?.(sandbox, folder, wire);
  expect(sandbox.requests()[0]?.operation).toBe(operation);
}

const mine = {
  id: 7,
  description: "nightly drift",
  created: 1_767_225_600_000,
  lastAccessed: 1_770_163_200_000,
  validUntil: 4_102_444_800_000,
  tokenScope: 2,
};

/** The operations of the token plugin, on a service of either role where admin and jdoe have one token each. */
export function tokenCases(
  role: "tracker" | "wiki",
  keyOfJdoe: string,
): Readonly<Record<keyof typeof pluginTokenOperations, Case>> {
  const { tokenScope: scope, ...shared } = mine;
  const before = ({ change }: Sandbox) =>
    change((world) => {
      world[role].tokenPlugin.tokens = [
        { ...shared, scope, user: "admin", secret: "one" },
        { ...shared, scope, id: 8, user: "jdoe", secret: "two" },
      ];
    });
  const tokensOf = ({ state }: Sandbox) => state()[role].tokenPlugin.tokens;
  return {
    listTokens: { before, args: {}, result: { content: [mine] } },
    createToken: {
      before,
      args: { tokenDescription: "release notes", tokenValidityTimeInMonths: 3, tokenForUserKey: keyOfJdoe },
      result: { plainTextToken: expect.any(Secret), id: 9 },
      after: (sandbox) =>
        expect(tokensOf(sandbox)[2]).toMatchObject({ id: 9, user: "jdoe", description: "release notes" }),
    },
    updateToken: {
      before,
      args: { tokenId: 7, tokenDescription: "drift" },
      result: { ...mine, description: "drift" },
      after: (sandbox) => expect(tokensOf(sandbox)[0]?.description).toBe("drift"),
    },
    deleteToken: {
      before,
      args: { tokenId: "7" },
      result: true,
      after: (sandbox) => expect(tokensOf(sandbox).map(({ id }) => id)).toEqual([8]),
    },
    filterTokens: {
      before,
      args: { descriptionFilter: "DRIFT", notValidAfter: 4_102_444_800_000, limit: 1 },
      result: { content: [mine, { ...mine, id: 8 }] },
      after: (sandbox) => expect(sandbox.requests()).toHaveLength(3),
    },
  };
}
