import { describe, expect, test } from "vitest";
import { allServices } from "../../../src/clients/find-service.ts";
import { load } from "../../../src/manifests/load.ts";
import { kinds } from "../../../src/reconcilers/registry.ts";
import { inMemory } from "../../support/in-memory.ts";
import { type Lab, openDirectLab, problemsOf } from "../../support/lab.ts";
import { loadManifest } from "../support/workspace.ts";

const permissions = (from: string) => `
kind: ActionsPermission
forEach: { from: { ${from} } }
spec: { org: meridian-kites, repo: "\${each.name}", enabled: false }
`;

async function keysOf(lab: Lab, manifest: string) {
  const { changes, inSync } = await lab.plan(manifest);
  return [...changes.map(({ address }) => address), ...inSync].sort();
}

function repositories(lab: Lab) {
  return lab.sandbox
    .state()
    .hosting.repositories.filter(({ owner }) => owner === "meridian-kites")
    .map(({ name }) => name)
    .sort();
}

describe("a document repeated over a live list", () => {
  test("declares one resource for each object of the service", async () => {
    await using lab = await openDirectLab();
    const names = repositories(lab);
    expect(names.length).toBeGreaterThan(1);
    expect(await keysOf(lab, permissions("operation: listOrganizationRepositories, org: meridian-kites"))).toEqual(
      names.map((name) => `hosting/ActionsPermission/meridian-kites/${name}`),
    );
  });

  test("takes only names that match and are not excepted", async () => {
    await using lab = await openDirectLab();
    const [first = "", ...rest] = repositories(lab);
    const list = "operation: listOrganizationRepositories, org: meridian-kites";
    expect(await keysOf(lab, permissions(`${list}, match: ["${first.slice(0, -1)}?"]`))).toEqual([
      `hosting/ActionsPermission/meridian-kites/${first}`,
    ]);
    expect(await keysOf(lab, permissions(`${list}, match: "*", except: "${first}"`))).toEqual(
      rest.map((name) => `hosting/ActionsPermission/meridian-kites/${name}`),
    );
  });

  test("reads a list once, however many documents use it, and shares it with the kind's own reading", async () => {
    await using lab = await openDirectLab();
    const roles = `---
kind: AnalysisRole
forEach: { from: { operation: listProjects, service: analysis } }
spec: { name: "lead-\${each.name}" }
`;
    await lab.plan(roles + roles.replace("lead", "guest"));
    expect(lab.asked()).toEqual(["projects", "roles"]);
  });

  test("uses the service of the kind by default, and combines with other lists", async () => {
    await using lab = await openDirectLab();
    const locks = `
kind: BranchLock
forEach:
  project: { from: { operation: listProjects, except: [All-*] } }
  branch: [release-1, release-2]
spec: { project: "\${each.project.name}", branch: "\${each.branch}" }
`;
    const projects = Object.keys(lab.sandbox.state().review.projects).filter((name) => !name.startsWith("All-"));
    expect(await keysOf(lab, locks)).toEqual(
      projects.flatMap((name) => [1, 2].map((n) => `review/BranchLock/${name}:release-${n}`)).sort(),
    );
  });

  test("can use a service of another role, unnamed if no other has the list", async () => {
    const text = 'kind: Account\nforEach: { from: { operation: listProjects } }\nspec: { name: "${each.name}" }\n';
    const { resources } = await loadManifest(text, { readLiveList: () => async () => [{ name: "core" }] });
    expect(resources).toMatchObject([{ address: "wiki/Account/core", repeated: true, listed: true }]);
  });

  test("warns of each pattern under match that fits no name, once, and still makes the plan", async () => {
    await using lab = await openDirectLab();
    const [first = ""] = repositories(lab);
    const from = `operation: listOrganizationRepositories, org: meridian-kites, match: ["fimware-*", "${first}"], except: "none"`;
    const { warnings, changes, inSync } = await lab.plan(permissions(from));
    expect(changes.length + inSync.length).toBe(1);
    expect(warnings).toMatchObject([
      {
        code: "SP1018",
        message: '"fimware-*" matches none of the names that listOrganizationRepositories lists.',
        place: { line: 3 },
      },
    ]);
    expect((await lab.plan(permissions(from.replace('"fimware-*", ', "")))).warnings).toBeUndefined();
  });

  test.each([
    ["operation: listEverything", "SP1002"],
    ["operation: listOrganizationRepositories", "SP1003"],
    ["operation: listOrganizationRepositories, org: meridian-kites, owner: me", "SP1004"],
    ["operation: listProjects, org: meridian-kites, service: review", "SP1004"],
    ["operation: listProjects", "SP1009"],
    ["operation: listProjects, service: hosting", "SP1009"],
  ])("is an error with its place if it says { %s }", async (from, code) => {
    await using lab = await openDirectLab();
    const problems = await problemsOf(lab.plan(permissions(from)));
    expect(problems).toMatchObject([{ code, place: { line: 3 } }]);
  });

  test("is an error if the service does not answer, because a shorter list would prune", async () => {
    await using lab = await openDirectLab();
    const manifest = permissions("operation: listOrganizationRepositories, org: nobody");
    expect(await problemsOf(lab.plan(manifest))).toMatchObject([
      {
        code: "SP3005",
        service: "hosting",
        message: expect.stringContaining("The list cannot be read"),
        place: { line: 3 },
      },
    ]);
  });

  test("is left out and counted if no service can be read", async () => {
    const workspaceFile = "setpoint.yaml";
    const source = inMemory({
      [workspaceFile]: 'version: 1\nservices: { hosting: { type: github, url: "https://api.example.com" } }\n',
      "manifests/a.yaml": permissions("operation: listOrganizationRepositories, org: meridian-kites"),
    });
    const loaded = await load({ source, kinds, types: allServices, workspaceFile, variables: {} });
    expect(loaded).toMatchObject({ resources: [], problems: [], unexpanded: 1 });
  });
});
