import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { describeWithGerrit } from "./support/describe.ts";
import { lawRuns } from "./support/law-runs.ts";
import { realRoad, type Sections, setAccess } from "./support/real-lab.ts";

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

        const manifests = imported.split(/^---$/m).filter((text) => text.includes(`project: ${project}\n`));
        const moved = manifests.join("---").replaceAll(project, other);
        const { outcomes } = await road.apply(moved);
        expect(outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
        expect(await road.plan(moved)).toMatchObject({ changes: [], unknown: [] });
      }),
      { ...lawRuns(12), endOnFailure: true },
    );
  });
});
