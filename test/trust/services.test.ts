import { describe, expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import { lock, workflows } from "../support/commands.ts";
import { document } from "../support/manifest.ts";
import {
  addresses,
  all,
  type Change,
  later,
  locks,
  openPull,
  planOf,
  problemsOf,
  rules,
  said,
  workspaceFile,
} from "./pull.ts";

describe("addresses of services", () => {
  const changed = (name: string, text: (url: string) => string): Change => {
    return (url) => ({ "setpoint.yaml": workspaceFile({ ...rules.services(url), [name]: text(url) }) });
  };

  test.each([
    ["url", (url: string) => `{ type: gerrit, url: "${url}/hosting", limits: { timeout: 2m } }`],
    ["url", () => '{ type: gerrit, url: "http://127.0.0.1:1", limits: { timeout: 2m } }'],
    ["wire", (url: string) => `{ type: gerrit, url: "${url}/review", wire: documented, limits: { timeout: 2m } }`],
    ["limits.timeout", (url: string) => `{ type: gerrit, url: "${url}/review", limits: { timeout: 3m } }`],
  ])("a changed %s is reported, and not used", async (path, text) => {
    const pull = await openPull(changed("review", text));
    const planned = await pull.workspace.plan();
    if (planned.is === "wrong") throw new ProblemError(...planned.problems);
    expect(addresses(planned.plan)).toEqual(all);
    expect(said(planned.plan)?.map(([file, name]) => [file, name])).toEqual([
      ["setpoint.yaml", `services.review.${path}`],
    ]);
    expect(new Set(pull.connected)).toEqual(new Set(["review"]));
    expect(planned.looked.services.map(({ url }) => url)).toContain(`${pull.sandbox.url}/review`);
  });

  test("an address changed through a variable is reported with its new value", async () => {
    const plan = await planOf((url) => ({
      "setpoint.yaml": workspaceFile(
        { ...rules.services(url), review: '{ type: gerrit, url: "${var.where}", limits: { timeout: 2m } }' },
        `${rules.rest.trimEnd().slice(0, -1)}, where: "http://127.0.0.1:1" }\n`,
      ),
    }));
    expect(said(plan)?.map(([, path, , head]) => [path, head])).toEqual([
      ["services.review.url", "http://127.0.0.1:1"],
      ["variables.where", "http://127.0.0.1:1"],
    ]);
    expect(addresses(plan)).toEqual(all);
  });

  test("a new service is not called, and its resources are unknown, with the reason", async () => {
    const change: Change = (url) => ({
      "setpoint.yaml": workspaceFile({
        ...rules.services(url),
        second: `{ type: gerrit, url: "${url}/review", limits: { timeout: 2m } }`,
      }),
      ...Object.fromEntries(
        Object.entries(locks).map(([path, text]) => [
          path,
          text.replaceAll("spec:", "metadata: { service: review }\nspec:"),
        ]),
      ),
      "manifests/c.yaml": lock("platform/core", "main", "metadata: { service: second }\n"),
    });
    const plan = await planOf(change);
    expect(addresses(plan)).toEqual(all);
    expect(plan.unknown).toMatchObject([
      {
        address: "second/BranchLock/platform/core:main",
        service: "second",
        problem: { code: "SP1023", place: { file: "manifests/c.yaml" } },
      },
    ]);
    expect(plan.services.map(({ name }) => name)).toEqual(["review"]);
    expect(later(plan)).toEqual([]);
    const { workspace } = await openPull(change);
    const { workspace: judged } = await workspace.validate();
    expect(judged?.services.map(({ name }) => name)).toEqual(["review", "hosting", "analysis"]);
  });

  test("a renamed or removed service is not called, and nothing on it is deleted", async () => {
    const { review, ...others } = rules.services("");
    const renamed: Change = (url) => ({
      "setpoint.yaml": workspaceFile({ ...others, code: review ?? "" }).replaceAll('url: "/', `url: "${url}/`),
    });
    const base = { base: "main" };
    const plan = await planOf(renamed, base);
    expect(plan.changes).toEqual([]);
    expect(plan.unknown.map(({ address, problem }) => [address, problem.code])).toEqual([
      ["code/BranchLock/platform/core:release-2.2", "SP1023"],
      ["code/BranchLock/platform/core:release-2.3", "SP1023"],
      ["code/BranchLock/platform/ui:release-2.4", "SP1023"],
    ]);
    const removed: Change = (url) => ({
      "setpoint.yaml": workspaceFile(others).replaceAll('url: "/', `url: "${url}/`),
      "manifests/a.yaml": workflows("website", true),
      "manifests/b.yaml": "",
    });
    const less = await planOf(removed, base);
    expect(less.changes.filter(({ action }) => action === "delete")).toEqual([]);
    expect(said(less)?.map(([, path]) => path)).toEqual(["services.review"]);
  });

  test("a service that becomes another product is not called", async () => {
    const plan = await planOf((url) => ({
      "setpoint.yaml": workspaceFile({
        ...rules.services(url),
        hosting: `{ type: confluence, url: "${url}/hosting", limits: { timeout: 2m } }`,
      }),
      "manifests/c.yaml": document("WikiPage", { id: "48213", title: "x" }),
    }));
    expect(plan.unknown.map(({ address, problem }) => [address, problem.code])).toEqual([
      ["hosting/WikiPage/48213", "SP1023"],
    ]);
  });

  test("a call goes to the trusted address", async () => {
    const pull = await openPull(changed("review", () => '{ type: gerrit, url: "http://127.0.0.1:1" }'));
    expect((await pull.workspace.service("review")).url).toBe(`${pull.sandbox.url}/review`);
  });
});

test("a document repeated over a list of a service that only the pull request has is unknown, and that service is not called", async () => {
  const second: Change = (url) => ({
    "setpoint.yaml": workspaceFile({
      ...rules.services(url),
      second: `{ type: github, url: "${url}/hosting", limits: { timeout: 2m } }`,
    }),
  });
  const repeated = (metadata: string, more: string) => `kind: ActionsPermission
${metadata}forEach: { from: { operation: listOrganizationRepositories, org: meridian-kites${more} } }
spec: { org: meridian-kites, repo: "\${each.name}", enabled: false }
`;
  const own: Change = (url) => ({
    ...second(url),
    "manifests/c.yaml": repeated("metadata: { service: second }\n", ", service: second"),
  });
  const pull = await openPull(own);
  const planned = await pull.workspace.plan();
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  expect(planned.plan.unknown).toMatchObject([
    {
      address: "second/ActionsPermission/*",
      service: "second",
      problem: { code: "SP1023", place: { file: "manifests/c.yaml" } },
    },
  ]);
  expect(new Set(pull.connected)).toEqual(new Set(["review"]));
  expect((await planOf(own, { service: ["review"] })).unknown).toEqual([]);
  // The document belongs to a trusted service; only the list does not.
  const borrowed = repeated("metadata: { service: hosting }\n", ", service: second");
  expect(await problemsOf((url) => ({ ...second(url), "manifests/c.yaml": borrowed }))).toMatchObject([
    { code: "SP1023", place: { file: "manifests/c.yaml" } },
  ]);
  const product: Change = (url) => ({
    "setpoint.yaml": workspaceFile({
      ...rules.services(url),
      analysis: `{ type: github, url: "${url}/hosting", limits: { timeout: 2m } }`,
    }),
    "manifests/c.yaml": borrowed.replace("service: second", "service: analysis"),
  });
  expect(await problemsOf(product)).toMatchObject([{ code: "SP1023" }]);
  const honest = await openPull((url) => ({
    ...second(url),
    "manifests/c.yaml": borrowed.replace("service: second", "service: hosting"),
  }));
  expect(await honest.workspace.plan({ service: ["review"] })).toMatchObject({ is: "planned" });
  expect(new Set(honest.connected)).toEqual(new Set(["review"]));
});

test("drift and validate are judged by the merged rules too, and a live list is read from the trusted service", async () => {
  const repeated = `kind: ActionsPermission
forEach: { from: { operation: listOrganizationRepositories, org: meridian-kites, match: website } }
spec: { org: meridian-kites, repo: "\${each.name}", enabled: false }
`;
  const pull = await openPull((url) => ({
    "setpoint.yaml": workspaceFile({
      ...rules.services(url),
      hosting: '{ type: github, url: "http://127.0.0.1:1", limits: { timeout: 2m } }',
    }),
    "manifests/c.yaml": repeated,
  }));
  const planned = await pull.workspace.drift({ base: "main" });
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  expect(addresses(planned.plan)).toContain("update hosting/ActionsPermission/meridian-kites/website");
  expect(said(planned.plan)?.map(([, path]) => path)).toEqual(["services.hosting.url"]);
  expect((await pull.workspace.validate()).trusted?.changes).toHaveLength(1);
});
