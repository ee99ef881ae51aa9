import { describe, expect, onTestFinished, test } from "vitest";
import { artifactsService } from "../../../src/clients/artifacts/service.ts";
import { openConnection, readerOf } from "../../../src/clients/connect.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Metadata } from "../../../src/core/resource.ts";
import { Secret } from "../../../src/core/secret.ts";
import { repositoryLayout } from "../../../src/reconcilers/artifacts/repository-layout.ts";
import { serviceOf } from "../../clients/fixtures.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

function layout(spec: Readonly<Record<string, unknown>> = {}, metadata: Partial<Metadata> = {}): string {
  return document("RepositoryLayout", { key: "libs", ...spec }, metadata);
}

/** The manifests that an import would write. */
async function imported({ sandbox }: Lab): Promise<string> {
  const service = serviceOf("artifacts", { url: sandbox.services.artifacts.url });
  const credentials = { is: "basic", username: "admin", password: new Secret("secret") } as const;
  const connection = openConnection(service, { mode: "read", credentials });
  onTestFinished(() => connection.close());
  const reader = readerOf((operation, args) => connection.call(operation, args), service, artifactsService);
  const specs = (await repositoryLayout.list?.(reader)) ?? [];
  return specs.map((spec) => document("RepositoryLayout", { ...spec })).join("");
}

describe("RepositoryLayout", () => {
  test("budget: one read for all repositories", async () => {
    await using lab = await openLab();
    const all =
      layout({ type: "VIRTUAL" }) +
      layout({ key: "maven-remote", type: "REMOTE" }) +
      layout({ key: "docker-dev-local" });
    const plan = await lab.plan(all);
    expect([plan.changes, plan.inSync.length]).toEqual([[], 3]);
    expect(lab.asked()).toEqual(["listRepositories"]);
  });

  test("budget: one more read per repository with a deployment target", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(
      layout({ defaultDeploymentRepo: "libs-snapshot-local" }) + layout({ key: "maven-remote" }),
    );
    expect([plan.changes, plan.inSync.length]).toEqual([[], 2]);
    expect(lab.asked()).toEqual(["listRepositories", "getRepository"]);
  });

  test("a difference needs a person, and an apply sends nothing", async () => {
    await using lab = await openLab();
    const report = await lab.apply(layout({ type: "LOCAL", defaultDeploymentRepo: "libs-release-local" }));
    expect(report.plan.changes).toMatchObject([
      {
        action: "check",
        fields: [
          { path: ["type"], live: "VIRTUAL", desired: "LOCAL" },
          { path: ["defaultDeploymentRepo"], live: "libs-snapshot-local", desired: "libs-release-local" },
        ],
        instruction: expect.stringContaining("manually"),
      },
    ]);
    expect(lab.asked()).toEqual(["listRepositories", "getRepository"]);
    expect([report.calls, report.outcomes]).toEqual([[], []]);
  });

  test("a repository that does not exist needs a person, and its details are not read", async () => {
    await using lab = await openLab();
    const { changes } = await lab.plan(layout({ key: "nowhere", defaultDeploymentRepo: "libs-release-local" }));
    expect(changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("Create the repository") }]);
    expect(lab.asked()).toEqual(["listRepositories"]);
  });

  test("a repository without a deployment target has none", async () => {
    await using lab = await openLab();
    const { changes } = await lab.plan(layout({ key: "maven-remote", defaultDeploymentRepo: "libs-release-local" }));
    expect(changes).toMatchObject([{ fields: [{ path: ["defaultDeploymentRepo"], desired: "libs-release-local" }] }]);
  });

  test("an import is in sync and has every repository with all that can be read", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ artifacts }) => {
      artifacts.repositories.push({ key: "empty", type: "VIRTUAL", packageType: "generic", members: [] });
    });
    const manifests = await imported(lab);
    expect(lab.asked()).toEqual(["listRepositories", "getRepository", "getRepository"]);
    const plan = await lab.plan(manifests);
    expect([plan.changes, plan.inSync.length]).toEqual([[], 7]);
    expect(manifests).toContain("'defaultDeploymentRepo': 'libs-snapshot-local'");
  });

  test("an import states a type that a manifest can state, and leaves out any other", async () => {
    const shared = { key: "shared", type: "FEDERATED" };
    const reader = {
      ...readerOf(async () => [], { wire: "product" }, artifactsService),
      listRepositories: async () => [shared, { key: "releases", type: "DISTRIBUTION" }],
    };
    const listed = await repositoryLayout.list?.(reader);
    expect(listed).toEqual([shared, { key: "releases" }]);
    expect(listed?.map((spec) => repositoryLayout.spec.parse(spec))).toEqual(listed);
  });

  test("a detail that cannot be read makes its resource unknown, and no other", async () => {
    const problem = { code: "SP3004", message: "hidden" } as const;
    const reader = {
      ...readerOf(async () => [], { wire: "product" }, artifactsService),
      listRepositories: async () => [
        { key: "libs", type: "VIRTUAL" },
        { key: "other", type: "LOCAL" },
      ],
      getRepository: async () => {
        throw new ProblemError(problem);
      },
    };
    const wanted = [{ key: "libs", defaultDeploymentRepo: "other" }, { key: "other" }];
    const found = await repositoryLayout.observe(reader, "repositories", wanted, new Date(0));
    expect([...found.values()]).toMatchObject([{ is: "unknown", problem }, { is: "present" }]);
  });

  test("a repository whose details are refused is named and left out of an import; one that cannot name it fails", async () => {
    const refusal = new ProblemError({ code: "SP3007", message: "Bad Request" });
    const reader = {
      ...readerOf(async () => [], { wire: "product" }, artifactsService),
      listRepositories: async () => ["libs", "maven"].map((key) => ({ key, type: "VIRTUAL" })),
      getRepository: async ({ key }: { readonly key: string }) =>
        key === "libs" ? Promise.reject(refusal) : { key, type: "VIRTUAL", defaultDeploymentRepo: "local" },
    };
    const leftOut: unknown[] = [];
    const listed = await repositoryLayout.list?.(reader, new Date(0), (key, { code }) => leftOut.push([key, code]));
    expect(listed).toEqual([{ key: "maven", type: "VIRTUAL", defaultDeploymentRepo: "local" }]);
    expect(leftOut).toEqual([["libs", "SP3007"]]);
    await expect(repositoryLayout.list?.(reader)).rejects.toEqual(refusal);
  });

  test("a deployment target that the account may not see is unknown, and an import leaves it out", async () => {
    await using lab = await openLab({ as: { username: "auditor", secret: "auditor-secret" } });
    const { changes, unknown, inSync } = await lab.plan(
      layout({ defaultDeploymentRepo: "libs-snapshot-local" }) + layout({ key: "maven-remote", type: "REMOTE" }),
    );
    expect([changes, unknown, inSync]).toMatchObject([
      [],
      [{ problem: { code: "SP3104", message: expect.stringContaining("libs") } }],
      [{}],
    ]);
    const reader = {
      ...readerOf(async () => [], { wire: "product" }, artifactsService),
      listRepositories: async () => [{ key: "libs", type: "VIRTUAL" }],
      getRepository: async () => ({ key: "libs", type: "VIRTUAL" }),
    };
    expect(await repositoryLayout.list?.(reader)).toEqual([{ key: "libs", type: "VIRTUAL" }]);
  });

  test("is forgotten when it leaves the manifests, and cannot be absent", async () => {
    await using lab = await openLab();
    expect((await lab.plan({ now: "", base: layout() })).changes).toEqual([]);
    expect(await problemsOf(lab.plan(layout({}, { state: "absent" })))).toMatchObject([{ code: "SP1002" }]);
  });

  test("rejected credentials make the resource unknown, not absent", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "wrong" } });
    const plan = await lab.plan(layout());
    expect([plan.unknown.map(({ problem }) => problem.code), plan.changes]).toEqual([["SP3003"], []]);
  });
});
