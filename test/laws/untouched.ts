import type { Kind } from "../../src/core/kind.ts";
import { alternativesOf, schemaOf } from "../../src/core/text/json-schema.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { branchPatterns } from "../../src/reconcilers/review/shared/access.ts";
import type { World } from "../../src/sandbox/world.ts";
import { addressOf, type Situation } from "../support/generate.ts";
import { imported } from "../support/worlds/analysis-projects.ts";
import { untouchedItems } from "../support/worlds/artifacts-items.ts";
import type { Declared } from "../support/worlds/parts.ts";
import { parts } from "../support/worlds/world.ts";

/** Everything that manifests name, now or at the base. */
interface Named {
  readonly addresses: ReadonlySet<string>;
  /** What the resources claim, such as tags of images. */
  readonly claims: ReadonlySet<string>;
  /** `project, ref, permission` with a group, or without one for the flag. */
  readonly rules: ReadonlySet<string>;
  /** Names and former names of analysis projects. */
  readonly projects: ReadonlySet<string>;
  /** `project, branch` of locks that move open changes. */
  readonly moved: ReadonlySet<string>;
  /** Returns the users that manifests name as members of a group; undefined if the group is exclusive. */
  readonly members: (group: string) => ReadonlySet<string> | undefined;
}

const spot = (...parts: readonly string[]) => JSON.stringify(parts);

function namedBy(documents: readonly Declared[]): Named {
  const parsed = documents.map(({ kind, spec }) => ({ kind, full: asRecord(kind, spec) }));
  return {
    addresses: new Set(documents.map(addressOf)),
    projects: new Set(
      parsed.flatMap(({ kind, full }) => (kind === "AnalysisProject" ? texts([full.name, full.renamedFrom]) : [])),
    ),
    claims: new Set(documents.flatMap(({ kind, spec }) => claimsOf(kind, spec))),
    rules: new Set(parsed.flatMap(({ kind, full }) => rulesNamedBy(kind, full))),
    moved: new Set(
      parsed
        .filter(({ full }) => full.moveOpenChangesTo !== undefined)
        .map(({ full }) => spot(String(full.project), String(full.branch))),
    ),
    members(group) {
      const specs = parsed.filter(({ kind, full }) => kind === "AnalysisGroup" && full.name === group);
      if (specs.some(({ full }) => full.exclusive === true)) return undefined;
      return new Set(specs.flatMap(({ full }) => texts(full.users)));
    },
  };
}

function asRecord(kind: string, spec: unknown): Readonly<Record<string, unknown>> {
  const parsed = kinds.get(kind)?.spec.parse(spec);
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
}

function claimsOf(name: string, spec: unknown): readonly string[] {
  const kind = kinds.get(name);
  return kind?.claims?.(kind.spec.parse(spec)) ?? [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

function rulesNamedBy(kind: string, spec: Readonly<Record<string, unknown>>): readonly string[] {
  const project = String(spec.project);
  switch (kind) {
    case "AccessRule": {
      const at = [project, String(spec.ref), String(spec.permission)];
      const groups = Array.isArray(spec.rules) ? spec.rules.map(({ group }) => String(group)) : [];
      return [...groups.map((group) => spot(...at, group)), ...(spec.exclusive === undefined ? [] : [spot(...at)])];
    }
    case "BranchLock": {
      const spots = (prefix: string, permissions: readonly string[]) =>
        branchPatterns(prefix, String(spec.branch)).flatMap((ref) =>
          permissions.flatMap((permission) =>
            [[], ...texts(spec.groups).map((group) => [group])].map((group) =>
              spot(project, ref, permission, ...group),
            ),
          ),
        );
      return [
        ...spots("refs/heads/", texts(spec.permissions)),
        ...spots("refs/for/refs/heads/", ["push", "addPatchSet", "pushMerge"]),
      ];
    }
    default:
      return [];
  }
}

/**
 * Returns the world without what manifests name: rule by rule, flag by flag, member by member. It also lacks what the
 * service removes by itself because it belongs to something that is not in `after`: assignments of deleted accounts and
 * roles, and parts of deleted projects.
 */
function rest(world: World, named: Named, after: World["analysis"], movable: ReadonlySet<number>) {
  const isFree = (kind: string) => (name: string) => !named.addresses.has(`${kind}/${name}`);
  const { users, groups, roles, assignments, projects, modules, views, defectTypes, builds, issues } = world.analysis;
  const isThere = (list: readonly { readonly name: string }[], name: string) => list.some((one) => one.name === name);
  const isFreePart = (kind: string, id: string, name?: string) => {
    const project = projects.find((one) => one.id === id);
    const key = name === undefined ? project?.name : `${project?.name}:${name}`;
    return after.projects.some((one) => one.id === id) && isFree(kind)(key ?? "");
  };
  const isUnclaimed = (what: string, id: string, name: string) => {
    const project = after.projects.find((one) => one.id === id);
    return project !== undefined && !named.claims.has(`the ${what} ${project.name}:${name}`);
  };
  const keyOf = kinds.get("AnalysisRoleAssignment")?.key ?? String;
  return {
    access: Object.entries(world.review.projects)
      .flatMap(([project, { access }]) =>
        Object.entries(access).flatMap(([ref, section]) =>
          Object.entries(section).flatMap(([permission, { exclusive, rules }]) => {
            const at = [project, ref, permission];
            const kept = rules.filter(({ group }) => !named.rules.has(spot(...at, group)));
            const flag = kept.length === 0 || named.rules.has(spot(...at)) ? undefined : exclusive;
            return kept.map((rule) => spot(...at, String(flag), JSON.stringify(rule)));
          }),
        ),
      )
      .sort(),
    changes: world.review.changes.filter(({ number }) => !movable.has(number)),
    parts: parts.map(({ untouched }) => untouched?.(world, (kind, key) => isFree(kind)(key))),
    artifactRepositories: world.artifacts.repositories,
    builds: Object.entries(world.artifacts.builds)
      .filter(([build]) => isFree("BuildRetention")(build))
      .map(([build, runs]) => [
        build,
        Object.entries(runs).filter(([number]) => isFree("BuildPromotion")(`${build}:${number}`)),
      ]),
    tags: Object.entries(world.artifacts.items).filter(([key]) => {
      const [, image, tag] = /^(.*)\/([^/]+)\/manifest\.json$/.exec(key) ?? [];
      return image !== undefined && !named.claims.has(`the tag ${image}:${tag}`);
    }),
    pages: Object.entries(world.wiki.pages).filter(([id]) => isFree("WikiPage")(id)),
    projects: projects.filter(({ name }) => !named.projects.has(name)),
    modules: modules.filter(({ project, name }) => isUnclaimed("module", project, name)),
    views: views.filter(({ project, name }) => isUnclaimed("view", project, name)),
    defectTypes: defectTypes.filter(({ project, code }) => isFreePart("AnalysisDefectType", project, code)),
    analysisBuilds: builds.filter(
      ({ project, name }) => isFreePart("AnalysisBuildRetention", project) && isUnclaimed("build", project, name),
    ),
    issues: issues.filter(({ project, id }) => isFreePart("AnalysisIssue", project, String(id))),
    tokens: [
      ...world.artifacts.tokens,
      ...[world.tracker, world.wiki].flatMap(({ tokenPlugin }) => tokenPlugin.tokens),
    ].filter(({ description = "" }) => description.startsWith("nobody's")),
    users: users.filter(({ name }) => isFree("AnalysisUser")(name)),
    roles: roles.filter(({ name }) => isFree("AnalysisRole")(name) && !imported.includes(name)),
    members: groups
      .flatMap(({ name, users: members }) => {
        const isManaged = named.addresses.has(`AnalysisGroup/${name}`);
        const ours = named.members(name);
        if (isManaged && (ours === undefined || !isThere(after.groups, name))) return [];
        return [[name, members.filter((member) => ours?.has(member) !== true)] as const];
      })
      .filter(([name, members]) => isFree("AnalysisGroup")(name) || members.length > 0),
    assignments: assignments.filter(({ role, project, account, group }) => {
      const name = projects.find(({ id }) => id === project)?.name;
      return (
        isFree("AnalysisRoleAssignment")(keyOf({ role, project: name, account, group })) &&
        isThere(after.roles, role) &&
        isThere(group ? after.groups : after.users, account)
      );
    }),
  };
}

/** Returns what no manifest names, as it was before an apply and as it is after it. */
export function unnamed({ world, now, base }: Situation, after: World) {
  const declared = [...now, ...base];
  const named = namedBy(declared);
  const movable = new Set(
    world.review.changes
      .filter(({ status, project, branch }) => status === "NEW" && named.moved.has(spot(project, branch)))
      .map(({ number }) => number),
  );
  const of = (one: World) => ({ ...rest(one, named, after.analysis, movable), items: untouchedItems(one, declared) });
  return { before: of(world), after: of(after) };
}

/** Returns the value of a field of the object that a document declares; undefined if there is no such object. */
type ReadField = (world: World, spec: Declared["spec"]) => unknown;

/** Returns the reader of a field of the part of an analysis project that a document declares. */
function analysisPart(
  list: "builds" | "modules" | "views",
  field: "allow_all" | "is_public" | "keepit" | "paths" | "query" | "tags",
): ReadField {
  return ({ analysis }, spec) => {
    const project = analysis.projects.find(({ name }) => name === spec.project);
    const part = analysis[list].find((one) => one.project === project?.id && one.name === spec.name);
    return part && new Map(Object.entries(part)).get(field);
  };
}

function permission(name: World["analysis"]["roles"][number]["permissions"][number]): ReadField {
  return ({ analysis }, spec) => analysis.roles.find((role) => role.name === spec.name)?.permissions.includes(name);
}

/** Readers of fields that keep their values if a document omits or ignores them. */
const kept: Readonly<Record<string, Readonly<Record<string, ReadField>>>> = {
  AnalysisBuild: { keepIt: analysisPart("builds", "keepit") },
  AnalysisIssue: {
    owner({ analysis }, spec) {
      const project = analysis.projects.find(({ name }) => name === spec.project);
      return analysis.issues.find((one) => one.project === project?.id && one.id === spec.id)?.owner;
    },
  },
  AnalysisModule: { allowAll: analysisPart("modules", "allow_all"), paths: analysisPart("modules", "paths") },
  AnalysisRole: { deleteBuild: permission("delete_build"), manageRoles: permission("manage_roles") },
  AnalysisView: {
    query: analysisPart("views", "query"),
    tags: analysisPart("views", "tags"),
    isPublic: analysisPart("views", "is_public"),
  },
  WikiPage: {
    title: ({ wiki }, { id }) => wiki.pages[String(id)]?.title,
    body: ({ wiki }, { id }) => wiki.pages[String(id)]?.body,
  },
  ActionsPermission: {
    shaPinningRequired: ({ hosting }, spec) =>
      hosting.repositories.find(({ name }) => name === spec.repo)?.actions.sha_pinning_required,
  },
};

const rule = "It states a rule about other objects, which is stored nowhere.";
const identity = "What can be left out is part of its identity, or another way to write it.";
const once = "What can be left out is used once, when its objects are made, moved or sent, and has a default.";

/** Why an object of a kind has no fields that keep their values if a document leaves them out. */
const unkept: Readonly<Record<string, string>> = {
  AccessRule: "The flag, if it is left out, is among what no manifest names.",
  AccessToken: "A token cannot be edited: it is replaced, and a new one has defaults.",
  AnalysisBuildRetention: rule,
  AnalysisGroup: "Its members are among what no manifest names.",
  AnalysisProject: identity,
  AnalysisRoleAssignment: identity,
  AnalysisServerImport: once,
  AnalysisUser: once,
  BranchLock: "What can be left out has a default. Rules that it does not name are among what no manifest names.",
  BuildPromotion: once,
  BuildRetention: rule,
  Cleanup: rule,
  DeployedFile: once,
  ImagePromotion: once,
  ItemProperties: "What can be left out has a default. Other properties are among what no manifest names.",
  JobConfig: identity,
  PersonalToken: "A token cannot be edited: it is replaced, and a new one has defaults.",
  Plugin: "Without a version every version is as declared, and a restart may bring one that is waiting.",
  TrashCan: rule,
  UserPreference: identity,
};

/** Returns which kinds are in neither table although documents can leave fields out, and which are there for nothing. */
export function unlistedKinds() {
  const withOptional = [...kinds.values()].filter(({ compile, spec }) => compile !== undefined && hasOptional(spec));
  const expected = new Set(withOptional.map(({ kind }) => kind));
  const listed = [...Object.keys(kept), ...Object.keys(unkept)];
  return {
    missing: [...expected].filter((kind) => !listed.includes(kind)),
    needless: listed.filter((kind, index) => !expected.has(kind) || listed.indexOf(kind) < index),
  };
}

function hasOptional(spec: Kind["spec"]): boolean {
  const root = schemaOf(spec);
  return alternativesOf(root, root).some(({ properties = {}, required = [] }) =>
    Object.keys(properties).some((name) => !required.includes(name)),
  );
}

/** Returns what documents do not state about existing objects, as it was before an apply and as it is after it. */
export function unstated({ world, now }: Situation, after: World) {
  const fields = now.flatMap(({ kind, spec, metadata }) =>
    Object.entries(kept[kind] ?? {}).flatMap(([field, of]) => {
      const isManaged = metadata.state === "absent" || (field in spec && metadata.ignore?.includes(field) !== true);
      return isManaged || of(world, spec) === undefined ? [] : [(one: World) => [kind, spec, field, of(one, spec)]];
    }),
  );
  return { before: fields.map((of) => of(world)), after: fields.map((of) => of(after)) };
}
