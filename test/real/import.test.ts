import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { describeWithGerrit } from "./support/describe.ts";
import { lawRuns } from "./support/law-runs.ts";
import { otherSections, pushedConfig, rulesIn } from "./support/pushed-config.ts";
import { manifest, pushConfig, realRoad, type Sections, setAccess } from "./support/real-lab.ts";

const made = ["Developers", "ünïcode group", "a, b: c"];
const known = ["global:Registered-Users", "global:Anonymous-Users", "global:Project-Owners", "global:Change-Owner"];
const groups = [...made, ...known, "Administrators", "Service Users"];
const labels = ["label-Code-Review", "labelAs-Code-Review", "removeLabel-Code-Review"];
const permissions = [
  ...["push", "submit", "pushMerge", "create", "delete", "addPatchSet", "owner", "read", "abandon", "rebase"],
  ...[...labels, "forgeAuthor", "createTag", "editTopicName", "Push", "SUBMIT"],
];
const refs = [
  ...["refs/*", "refs/heads/*", "refs/heads/master", "refs/heads/ü/*", "refs/heads/-x", "refs/heads/x#y"],
  ...["refs/for/*", "refs/for/refs/heads/master", "refs/tags/*", "refs/meta/config"],
  ...["^refs/heads/master$", "^refs/heads/m.*", "^refs/for/refs/heads/m.+", "^refs/heads/(x|y)/.+"],
  ...["refs/heads/${username}/*", "refs/users/${shardeduserid}"],
];

function map<Value>(names: readonly string[], values: fc.Arbitrary<Value>, maxKeys: number) {
  // The server takes two spellings of a permission in one request for an error.
  const selector = ([name]: readonly [string, Value]) => name.toLowerCase();
  return fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), values), { minLength: 1, maxLength: maxKeys, selector })
    .map((entries) => Object.fromEntries(entries));
}

const rule = fc
  .tuple(fc.constantFrom("ALLOW", "BLOCK", "DENY"), fc.boolean(), fc.constantFrom({}, { min: -1, max: 1 }))
  .map(([action, force, range]) => ({ action, force, ...range }));
const permission = fc.record({ exclusive: fc.boolean(), rules: map(groups, rule, 3) });
const sections: fc.Arbitrary<Sections> = map(refs, fc.record({ permissions: map(permissions, permission, 5) }), 6);

describeWithGerrit("what is imported from a real server", (gerrit) => {
  beforeAll(async () => {
    for (const name of made) await gerrit().createGroup(name);
  });

  test("is in sync", async () => {
    const road = realRoad(gerrit());
    expect(await road.plan(await road.imported())).toMatchObject({ changes: [], unknown: [] });
  });

  test("law: is in sync, whatever rules a project has, and gives another project the same rules", async () => {
    const road = realRoad(gerrit());
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(sections, async (add) => {
        const [project, other] = [`from ${++runs}/ü`, `to ${runs}/ü`];
        for (const name of [project, other]) await gerrit().createProject(name);
        await setAccess(gerrit(), project, add);
        const imported = await road.imported();
        expect(await road.plan(imported)).toMatchObject({ changes: [], unknown: [] });

        const moved = movedTo(other, imported, project);
        const { outcomes } = await road.apply(moved);
        expect(outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
        expect(await road.plan(moved)).toMatchObject({ changes: [], unknown: [] });
      }),
      { ...lawRuns(12), endOnFailure: true },
    );
  });

  async function idOf(group: string): Promise<string> {
    return String(Object((await gerrit().call("GET", `/a/groups/${encodeURIComponent(group)}`)).body).id);
  }

  test("law: is in sync, whatever configuration was pushed, gives another project its rules, and leaves the rest if one is added", async () => {
    await setAccess(gerrit(), "All-Projects", {
      "refs/meta/config": { permissions: { push: { rules: { Administrators: {} } } } },
    });
    const uuids = new Map(known.map((uuid) => [uuid.slice("global:".length).replaceAll("-", " "), uuid]));
    for (const name of ["123", "block group x"]) uuids.set(name, await gerrit().createGroup(name));
    for (const name of [...made, "Administrators"]) uuids.set(name, await idOf(name));
    // The file has the name that the group had when it was written.
    uuids.set("Old name", await gerrit().createGroup("New name"));
    const groupsFile = [...uuids].map(([name, uuid]) => `${uuid}\t${name}\n`).join("");
    const serviceUsers = await idOf("Service Users");
    const accessOf = async (project: string) => (await gerrit().call("GET", `/a/projects/${project}/access`)).body;
    const road = realRoad(gerrit());
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(pushedConfig([...uuids.keys()]), async (config) => {
        const [project, other] = [`pushed-from-${++runs}-`, `pushed-to-${runs}-`];
        for (const name of [project, other]) await gerrit().createProject(name);
        const files = { "project.config": config, groups: groupsFile };
        expect(await pushConfig(gerrit(), project, files)).toBe("accepted");
        const rules = rulesIn(await accessOf(project));
        const imported = await road.imported();
        expect(await road.plan(imported)).toMatchObject({ changes: [], unknown: [] });

        const moved = movedTo(other, imported, project);
        const { outcomes } = await road.apply(moved);
        expect(outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
        expect(rulesIn(await accessOf(other))).toEqual(rules);

        const rule = { project, ref: "refs/heads/master", permission: "push", rules: [{ group: "Service Users" }] };
        for (const state of ["present", "absent"]) {
          const added = await road.apply(manifest(["AccessRule", rule, { state }]));
          expect(added.outcomes).toMatchObject([{ result: "applied" }]);
          expect(otherSections(await gerrit().configFile(project))).toEqual(otherSections(config));
          const left = rulesIn(await accessOf(project)).filter((line) => !line.includes(serviceUsers));
          expect(left).toEqual(rules);
        }
      }),
      { ...lawRuns(12), endOnFailure: true },
    );
  });
});

/** Returns the manifests of one project for another one. */
function movedTo(other: string, imported: string, project: string): string {
  const manifests = imported.split(/^---$/m).filter((text) => text.includes(`project: ${project}\n`));
  return manifests.join("---").replaceAll(project, other);
}
