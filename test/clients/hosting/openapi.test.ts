import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { hostingOperations } from "../../../src/clients/hosting/operations.ts";
import { type EncodedRequest, encodeRequest } from "../../../src/clients/http/encode.ts";
import type { Operation } from "../../../src/core/operation.ts";
import { isObject, type JsonObject } from "../../../src/core/text/json.ts";
import { defaultWorld } from "../../../src/sandbox/default-world.ts";
import type { Reply } from "../../../src/sandbox/exchange.ts";
import { hostingStandIn } from "../../../src/sandbox/hosting/service.ts";
import { type PublishedOperation, publishedOperation, publishedSchema } from "../../support/openapi.ts";
import { lawRuns } from "../../support/worlds/parts.ts";
import { cases } from "./cases.ts";

interface Row {
  readonly operation: Operation;
  readonly published: PublishedOperation;
}

/** The published operation of each row. */
const ids: Readonly<Record<keyof typeof hostingOperations, string>> = {
  getUser: "users/get-authenticated",
  getMeta: "meta/get",
  listUserRepositories: "repos/list-for-authenticated-user",
  listOrganizationRepositories: "repos/list-for-org",
  getRepository: "repos/get",
  listContributors: "repos/list-contributors",
  getActionsPermissions: "actions/get-github-actions-permissions-repository",
  setActionsPermissions: "actions/set-github-actions-permissions-repository",
  getPullRequest: "pulls/get",
  listIssueComments: "issues/list-comments",
  createIssueComment: "issues/create-comment",
  updateIssueComment: "issues/update-comment",
  listBranches: "repos/list-branches",
  getBranch: "repos/get-branch",
  listCommits: "repos/list-commits",
  getCommit: "repos/get-commit",
  listCommitStatuses: "repos/list-commit-statuses-for-ref",
  getBranchRef: "git/get-ref",
  createStatus: "repos/create-commit-status",
  listWorkflowRuns: "actions/list-workflow-runs-for-repo",
  downloadWorkflowRunLogs: "actions/download-workflow-run-logs",
  dispatchWorkflow: "actions/create-workflow-dispatch",
  getLatestRelease: "repos/get-latest-release",
  listEmojis: "emojis/get",
  getZen: "meta/get-zen",
  getMascot: "meta/get-octocat",
  getRateLimit: "rate-limit/get",
};

const rows = Object.entries(ids).map(([name, id]) => {
  const operation: Operation | undefined = Object.entries(hostingOperations).find(([known]) => known === name)?.[1];
  if (operation === undefined) throw new Error(`no row ${name}`);
  return [name, { operation, published: publishedOperation(id) }] as const;
});

/** Where the row's words differ from the document's: there the branch is part of the reference, and the mascot is fixed. */
const otherPaths: Readonly<Record<string, string>> = {
  "/repos/{}/{}/git/ref/heads/{}": "/repos/{}/{}/git/ref/{}",
  "/{}": "/octocat",
};

const world = defaultWorld();
const shas = world.hosting.repositories.flatMap(({ commits }) => commits.map(({ sha }) => sha));

/** Values that match objects of the sandbox, and some that do not. */
const pools: Readonly<Record<string, readonly (string | number)[]>> = {
  owner: ["meridian-kites", "Meridian-Kites", "nobody"],
  org: ["meridian-kites", "admin", "nobody"],
  repo: ["website", "website", "telemetry", "handbook", "nowhere"],
  branch: ["main", "feature/prices", "gone"],
  sha: ["main", "gone", ...shas],
  ref: ["main", "release-2.4", "gone", ...shas],
  head_sha: shas,
  pullNumber: [7, 8, 9],
  issueNumber: [6, 7, 8, 9],
  commentId: [501, 502, 498, 1],
  runId: [9001, 9002, 9003, 1],
  workflowId: [22, "checks.yml", "publish.yml", "none.yml"],
  mascot: ["octocat"],
  page: [1, 2, 3],
  target_url: ["https://ci.example.com/1", "no url"],
  since: ["2026-02-01T00:00:00Z"],
  until: ["2026-02-05T00:00:00Z"],
};

/** The arguments that a row accepts, from their schema. */
function argumentsOf({ args }: Operation): fc.Arbitrary<JsonObject> {
  const { properties = {}, required = [] } = z.toJSONSchema(args, { io: "input" });
  const members = Object.entries(properties).map(([name, schema]) => {
    const value =
      pools[name] === undefined ? valueFor(isObject(schema) ? schema : {}) : fc.constantFrom(...pools[name]);
    return [name, required.includes(name) ? value : fc.option(value, { nil: undefined })] as const;
  });
  return fc
    .record(Object.fromEntries(members))
    .map((value) => args.parse(value))
    .map(json);
}

function valueFor(schema: Readonly<Record<string, unknown>>): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: Number(schema.minimum ?? 0), max: Number(schema.maximum ?? 1000) });
    case "object":
      return fc.dictionary(fc.constantFrom("target", "other"), fc.string(), { maxKeys: 2 });
    default:
      return fc.string({ unit: "grapheme", maxLength: 20 });
  }
}

function json(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}

function encoded(operation: Operation, args: JsonObject): EncodedRequest {
  return encodeRequest({ ...operation, path: operation.product ?? operation.path }, args);
}

const secrets = [undefined, "secret", "auditor-secret", "jdoe-secret", "wrong"];

function answerTo({ method, path, headers, body }: EncodedRequest, secret: string | undefined): Reply {
  const [pathname = "", search] = path.split("?");
  const text = typeof body === "string" ? body : "";
  const request = {
    method,
    path: pathname,
    query: new URLSearchParams(search),
    headers: {
      ...headers,
      "user-agent": "test",
      ...(secret === undefined ? {} : { authorization: `token ${secret}` }),
    },
    body: text,
    content: { size: text.length, md5: "", sha1: "", sha256: "", bytes: Buffer.from(text) },
    base: "http://127.0.0.1/hosting",
    now: Date.UTC(2026, 1, 14),
    state: world.hosting,
    accounts: world.accounts,
  };
  return hostingStandIn.serve(request).reply;
}

function expectPublished(name: string, { operation, published }: Row, { status, headers, body }: Reply): void {
  const isJson = headers["content-type"]?.startsWith("application/json") === true;
  const value: unknown = isJson ? JSON.parse(String(body)) : undefined;
  const validate = published.answer(status);
  if (status < 400) {
    expect([status, validate], name).not.toContain(undefined);
    if (validate) expect([name, validate(value), validate.errors]).toEqual([name, true, null]);
    if (operation.answer === undefined) operation.result.parse(value);
    return;
  }
  const schemas = [...(validate ? [validate] : []), ...(errors[status] ?? ["basic-error"]).map(publishedSchema)];
  expect([name, schemas.some((matches) => matches(value))]).toEqual([name, true]);
  expect(value, name).toMatchObject({ message: expect.any(String), documentation_url: expect.any(String) });
}

/** The errors that the document specifies, even if it omits those of an operation. */
const errors: Readonly<Record<number, readonly string[]>> = { 422: ["validation-error", "validation-error-simple"] };

test("every row has the published method and path", () => {
  const ours = rows.map(([name, { operation }]) => {
    const path = encodedPattern(operation);
    return [name, operation.method, otherPaths[path] ?? path];
  });
  expect(ours).toEqual(rows.map(([name, { published }]) => [name, published.method, published.path]));
});

test("every row offers every published choice and requires every required argument", () => {
  for (const [name, { operation, published }] of rows) {
    const { shape } = operation.args;
    for (const [argument, choices] of Object.entries(published.choices)) {
      const schema = shape[argument];
      if (schema === undefined) continue;
      const refused = choices.filter((choice) => !z.safeParse(schema, choice).success);
      expect([name, argument, refused]).toEqual([name, argument, []]);
    }
    expect(Object.keys(shape), name).toEqual(expect.arrayContaining([...published.required]));
  }
});

test("every row sends a request that the document allows, whatever its arguments", () => {
  for (const [name, { operation, published }] of rows)
    fc.assert(
      fc.property(argumentsOf(operation), (args) => {
        const { path, body } = encoded(operation, args);
        for (const [parameter, value] of new URLSearchParams(path.split("?")[1]))
          expect([name, parameter, value, published.query[parameter]?.(value)]).toEqual([name, parameter, value, true]);
        if (published.body === undefined) expect(body, name).toBeUndefined();
        else
          expect([name, published.body(JSON.parse(String(body))), published.body.errors]).toEqual([name, true, null]);
      }),
      { numRuns: lawRuns },
    );
});

test("the sandbox answers every row as published, whoever calls it, and the client decodes the answer", () => {
  for (const [name, row] of rows)
    fc.assert(
      fc.property(argumentsOf(row.operation), fc.constantFrom(...secrets), (args, secret) => {
        expectPublished(name, row, answerTo(encoded(row.operation, args), secret));
      }),
      { numRuns: lawRuns },
    );
});

test("every row succeeds on the sandbox with a published answer", () => {
  for (const [name, row] of rows) {
    const found = Object.entries(cases).find(([known]) => known === name)?.[1];
    const args = typeof found?.args === "function" ? found.args("") : (found?.args ?? {});
    const reply = answerTo(encoded(row.operation, json(row.operation.args.parse(args))), "secret");
    expect(reply.status, name).toBeLessThan(400);
    expectPublished(name, row, reply);
  }
});

test("every row decodes the published examples", () => {
  for (const [name, { operation, published }] of rows) {
    if (operation.answer !== undefined) continue;
    for (const example of published.examples)
      expect(operation.result.safeParse(example), name).toMatchObject({ success: true });
  }
});

function encodedPattern({ product, path }: Operation): string {
  return (product ?? path).split("?", 1)[0]?.replace(/\{[^}]*\}/g, "{}") ?? "";
}
