import { expect, test } from "vitest";
import { readerOf } from "../../../../src/clients/connect.ts";
import type { ProjectAccess } from "../../../../src/clients/review/access.ts";
import { reviewService } from "../../../../src/clients/review/service.ts";
import { readAccess } from "../../../../src/reconcilers/review/shared/access.ts";
import { BranchLock } from "../../../../src/reconcilers/review/shared/lock.ts";
import { effectOf } from "../../../../src/reconcilers/review/shared/lock-effect.ts";

const main = "refs/heads/main";
const registered = "global:Registered-Users";
const allow = { action: "ALLOW" } as const;
const block = { action: "BLOCK" } as const;
const deny = { action: "DENY" } as const;
const groups = { managers: { name: "Managers" }, devs: { name: "Developers" } };

type Permissions = NonNullable<ProjectAccess["local"][string]["permissions"]>;
type Permission = Permissions[string];
type Sections = Readonly<Record<string, Permissions>>;

function accessOf(sections: Sections, parent?: string): ProjectAccess {
  const local = Object.fromEntries(Object.entries(sections).map(([ref, permissions]) => [ref, { permissions }]));
  const inherited = parent === undefined ? {} : { inherits_from: { name: parent } };
  return { local, groups, is_owner: true, config_visible: true, ...inherited };
}

/** The effect of a lock of pushes to main in the first of the projects, and the projects that were read for it. */
async function judge(projects: Readonly<Record<string, ProjectAccess>>, spec: Readonly<Record<string, unknown>> = {}) {
  const asked: string[] = [];
  const nothing = readerOf(async () => [], { wire: "product" }, reviewService);
  const read = {
    ...nothing,
    async getProjectAccess({ projectName }: { readonly projectName: string }) {
      asked.push(projectName);
      const access = projects[projectName];
      if (access === undefined) throw new Error(projectName);
      return access;
    },
  };
  const [project = ""] = Object.keys(projects);
  const plain = { project, branch: "main", permissions: ["push"], reviewUploads: false };
  const lock = BranchLock.parse({ ...plain, ...spec });
  return { ...(await effectOf(read, await readAccess(read, project), [lock])), asked };
}

const exclusive = (...names: readonly string[]): Permission => ({
  exclusive: true,
  rules: Object.fromEntries(names.map((name) => [name, allow])),
});
const lifted: Permission = { exclusive: true, rules: { [registered]: block, managers: allow } };

// More specific for main than any spelling of it, each more than the one before.
const [narrow, narrower, narrowest] = [
  "^refs/heads/(main|x-y-z)",
  "^refs/heads/(main|x-y-z-0)",
  "^refs/heads/(main|x-y-z-0-1)",
];

/** Nobody can do anything. An object without fields would match any. */
const nobody = expect.toSatisfy((open: object) => Object.keys(open).length === 0);

/** Rules that lift a block, but leave nothing allowed. */
const closed = {
  [narrow]: { push: exclusive("managers") },
  [narrower]: { push: { exclusive: true, rules: { devs: deny } } },
};

test("rules that cannot be understood matter only where they may lift the lock's blocks", async () => {
  const strange = { push: { unclear: { rules: "odd" } } };
  const rejected = (sections: Sections, parent: Sections = {}) =>
    expect(judge({ own: accessOf(sections, "parent"), parent: accessOf(parent) })).rejects;
  await rejected({ "refs/heads/*": strange }).toMatchObject({ problems: [{ code: "SP3103" }] });
  await rejected({ [narrow]: { push: exclusive("managers") } }, { "refs/*": strange }).toMatchObject({
    problems: [{ code: "SP3103" }],
  });
  const other = { "refs/heads/other": strange, "refs/heads/*": { submit: strange.push } };
  expect(await judge({ own: accessOf(other, "parent"), parent: accessOf({ "refs/*": strange }) })).toHaveProperty(
    "open",
    {},
  );
  const own = accessOf({ [narrow]: { push: exclusive("managers") } }, "parent");
  const parent = accessOf({ "refs/*": { submit: strange.push } });
  expect(await judge({ own, parent }, { permissions: ["push", "submit"] })).toHaveProperty("unpreventable");
});

test("what a project's rules leave open is open only if a rule of its ancestors, or its own, allows it", async () => {
  const deployers = {
    ...accessOf({ [narrowest]: { push: { rules: { deployers: allow } } } }),
    groups: { deployers: { name: "Deployers" } },
  };
  const own = accessOf(closed, "parent");
  expect(await judge({ own: accessOf(closed) })).not.toHaveProperty("unpreventable");
  expect(await judge({ own, parent: accessOf({}, "root"), root: accessOf({}) })).not.toHaveProperty("unpreventable");
  const found = await judge({ own, parent: accessOf({}, "root"), root: deployers });
  expect(found.unpreventable).toBe(
    `Managers who are also in Deployers can push to main, because push on ${narrow} is exclusive and allows it`,
  );
  expect(found.asked).toEqual(["own", "parent", "root"]);
});

test("a lock that a parent's rules keep in force stays where it is", async () => {
  const own = accessOf({ [main]: { push: lifted } }, "parent");
  expect(await judge({ own, parent: accessOf({}) })).toMatchObject({
    open: { "branch push": expect.stringContaining("Managers") },
  });
  const parent = accessOf({ [narrow]: { push: { exclusive: true, rules: { managers: deny } } } });
  expect(await judge({ own, parent })).toMatchObject({ open: nobody, places: { "branch push": [main] } });
});

test("projects that inherit from each other are each read once", async () => {
  const own = accessOf({ [narrow]: { push: exclusive("managers") } }, "parent");
  expect((await judge({ own, parent: accessOf({}, "own") })).asked).toEqual(["own", "parent", "own"]);
});

test("an expression that cannot be read leaves no doubt about a lock of a name that is more specific", async () => {
  const found = await judge({ own: accessOf({ "^refs/heads/ma(?!x).*": { push: exclusive("managers") } }) });
  expect(found).toMatchObject({ open: nobody, places: { "branch push": [main] } });
  expect(found.unclear).toBeUndefined();
});

test("a lock of several groups stays in the places that hold it together", async () => {
  const of = (name: string): Permission => ({ exclusive: true, rules: { [name]: block } });
  const own = accessOf({
    [main]: { push: of("devs") },
    "^refs/heads/main": { push: of("managers") },
    "refs/heads/*": { push: exclusive("x") },
  });
  expect(await judge({ own }, { groups: ["Managers", "Developers"] })).toMatchObject({
    open: nobody,
    places: { "branch push": [main, "^refs/heads/main"] },
  });
});

test("a lock of which a part is missing names nobody whom the whole would stop", async () => {
  const part: Permission = { exclusive: true, rules: { devs: block } };
  const own = accessOf({ [main]: { push: part }, "refs/heads/*": { push: exclusive("deployers") } });
  expect(await judge({ own }, { groups: ["Managers", "Developers"] })).toHaveProperty("open", {});
});

test("a rule that allows the locked group itself stays, and is named if no spelling of the branch prevails", async () => {
  const own = accessOf({ "^refs/heads/(main)": { push: exclusive(registered) } });
  expect((await judge({ own })).unpreventable).toBe(
    `${registered} can push to main, because push on ^refs/heads/(main) is exclusive and allows it`,
  );
});

test("someone else's block stays where the lock was", async () => {
  const own = accessOf({
    "^refs/heads/(main)": { push: { exclusive: true, rules: { devs: block, managers: allow } } },
  });
  expect(await judge({ own }, { groups: ["Managers"] })).toHaveProperty("unpreventable");
});

test("only a push to the branch can be forced", async () => {
  const rules = (force: boolean): Permission => ({
    rules: { [registered]: { action: "BLOCK", force }, managers: allow },
  });
  const own = accessOf({
    [main]: { push: rules(true), submit: rules(false) },
    [`refs/for/${main}`]: { push: rules(false) },
  });
  const found = await judge({ own }, { force: true, permissions: ["push", "submit"], reviewUploads: true });
  expect(found.open).toEqual({
    "branch submit": `Managers can submit to main, because submit on ${main} allows it`,
    "uploads push": `Managers can upload for review to main, because push on refs/for/${main} allows it`,
  });
});

test("an owner of a change is asked for in a submit alone", async () => {
  const owners: Permission = { rules: { [registered]: block, "global:Change-Owner": allow } };
  const own = accessOf({ [main]: { push: owners, submit: owners } });
  const { open } = await judge({ own }, { permissions: ["push", "submit"] });
  expect(open).toEqual({
    "branch submit": `global:Change-Owner can submit to main, because submit on ${main} allows it`,
  });
});

test("what is sure is said before what may be", async () => {
  const unsure = "^refs/heads/main(|x|)";
  const own = accessOf({ [unsure]: { push: exclusive(registered) }, [narrow]: { push: exclusive("managers") } });
  const found = await judge({ own });
  expect(found.unpreventable).toBe(`Managers can push to main, because push on ${narrow} is exclusive and allows it`);
  expect(found.unclear).toBeUndefined();
});

test("who can do something is said of the branch and the rule that are named", async () => {
  const own = accessOf({ [main]: { push: exclusive("managers") }, "refs/heads/rel": { push: exclusive("devs") } });
  expect((await judge({ own }, { branch: "^(main|rel)$" })).unpreventable).toBe(
    `Managers can push to main, because push on ${main} is exclusive and allows it`,
  );
  const both = accessOf({ [narrower]: { push: exclusive("managers") }, [narrow]: { push: exclusive("devs") } });
  expect((await judge({ own: both })).unpreventable).toBe(
    `Managers can push to main, because push on ${narrower} is exclusive and allows it`,
  );
});

test("a rule of a parent is named with its project", async () => {
  const forced: Permission = { rules: { [registered]: { action: "BLOCK", force: true } } };
  const own = accessOf({ [main]: { push: forced }, "refs/heads/*": { push: exclusive("devs") } }, "parent");
  const { open } = await judge({ own, parent: accessOf({ [narrow]: { push: { rules: { [registered]: allow } } } }) });
  expect(open).toEqual({
    "branch push": `${registered} can push to main, because push on ${narrow} of parent allows it`,
  });
});
