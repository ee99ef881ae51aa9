import { fieldsIn } from "../../core/change.ts";
import type { Problem } from "../../core/problem.ts";
import type { Address, Resource } from "../../core/resource.ts";
import type { UnknownResource } from "../../core/run/plan.ts";
import { type JsonObject, sameJson } from "../../core/text/json.ts";
import type { Loaded } from "../../manifests/load.ts";
import type { FileSource } from "../../manifests/sources/files.ts";
import { asJson, differences, plainSpec } from "../../planner/decide.ts";
import { asOf, type Decided, type Declarations } from "../../planner/subjects.ts";
import { over, type RewrittenFile, rewriteFiles } from "./rewritten-files.ts";
import { type Group, indescribable, refused, type Wishes, wishesOf } from "./wishes.ts";

/** The input of an adoption. The manifests themselves are the base, as for drift. */
export interface AdoptInput {
  readonly declarations: Declarations;
  readonly decided: readonly Decided[];
  readonly files: FileSource;
  /** Loads the same workspace from other files. */
  readonly load: (files: FileSource) => Promise<Loaded>;
  /** Observes again and decides, with other declarations. */
  readonly observe: (declarations: Declarations) => Promise<readonly Decided[]>;
}

/** Live values written into manifests, in memory. */
export interface Adoption {
  readonly files: readonly RewrittenFile[];
  readonly adopted: readonly { readonly address: Address; readonly fields: readonly string[] }[];
  /** What moved and is not adopted, with the reason and the place (SP1020). */
  readonly refusals: readonly Problem[];
  /** Resources whose live state could not be read. */
  readonly unknown: readonly UnknownResource[];
}

/**
 * Writes drifted values into the texts of the manifests, in place. Nothing is adopted on trust: the new manifests are loaded
 * and must declare the same as before except for the adopted fields, and the services are read again to check that these no
 * longer differ. A field that fails a check is refused.
 */
export async function adoptFields(input: AdoptInput): Promise<Adoption> {
  const declared = new Set(input.declarations.desired.map(({ address }) => address));
  // Undeclared objects that should not exist were looked at too, but are in no manifest.
  const decided = input.decided.filter(({ address }) => declared.has(address));
  const wishes = wishesOf(input.declarations, decided);
  const refusals = [...wishes.refusals];
  for (let { groups } = wishes; ; ) {
    const written = await rewriteFiles(input.files, groups);
    const sound = await soundGroups(input, written.groups);
    refusals.push(...written.refusals, ...sound.refusals);
    groups = sound.groups;
    if (sound.refusals.length > 0) continue;
    const moving = await stillMoving(input, groups, written.files);
    refusals.push(...moving.refusals);
    groups = moving.groups;
    if (!moving.isSettled) continue;
    const adopted = written.groups.flatMap(({ members, fields }) =>
      members.map(({ resource: { address } }) => ({ address, fields })),
    );
    return { files: written.files, adopted, refusals, unknown: decided.flatMap(unknownOf) };
  }
}

function unknownOf({ address, service, decision }: Decided): readonly UnknownResource[] {
  return decision.is === "unknown" ? [{ address, service, problem: decision.problem }] : [];
}

/** Returns the documents that can be rewritten together; if not all of them can, those that can be rewritten on their own. */
async function soundGroups(input: AdoptInput, groups: readonly Group[]): Promise<Wishes> {
  if (groups.length === 0 || (await fault(input, groups)) === undefined) return { groups, refusals: [] };
  const alone = await Promise.all(groups.map(async (group) => ({ group, reason: await fault(input, [group]) })));
  const wrong = alone.flatMap(({ group, reason }) =>
    reason === undefined ? [] : refused(group, group.fields, reason),
  );
  const together = "The manifests would contradict each other with the live values.";
  return wrong.length > 0
    ? { groups: alone.flatMap(({ group, reason }) => (reason === undefined ? [group] : [])), refusals: wrong }
    : { groups: [], refusals: groups.flatMap((group) => refused(group, group.fields, together)) };
}

/** Returns why the rewritten manifests are not acceptable; undefined if they are. */
async function fault(input: AdoptInput, groups: readonly Group[]): Promise<string | undefined> {
  const { files } = await rewriteFiles(input.files, groups);
  const { problems, resources } = await loadAgain(input, files);
  const [problem] = problems;
  if (problem !== undefined)
    return `The manifest would be invalid with the live value. ${problem.code}: ${problem.message}`;
  const now = new Map(resources.map((resource) => [resource.address, resource]));
  const members = new Map(
    groups.flatMap((group) => group.members.map((one) => [one.resource.address, { ...one, group }])),
  );
  const isAsWished = (before: Resource) => {
    const after = now.get(before.address);
    const member = members.get(before.address);
    if (after === undefined || !sameJson(after.metadata, before.metadata)) return false;
    if (member === undefined) return sameJson(after.spec, before.spec);
    const { kind, fields } = member.group;
    const [written, live] = [plainSpec(kind, after.spec), plainSpec(kind, member.live)];
    const ofFields = Object.fromEntries(Object.entries(written).filter(([name]) => fields.includes(name)));
    return differences(ofFields, live, undefined).length === 0 && sameJson(rest(after, fields), rest(before, fields));
  };
  const isSame = resources.length === input.declarations.desired.length && input.declarations.desired.every(isAsWished);
  return isSame ? undefined : "The live value cannot be written at the place of the field in the manifest.";
}

/** Loads what the manifests declare with rewritten files, at the moment of the run. */
async function loadAgain(
  { declarations: { kinds, now }, files, load }: AdoptInput,
  rewritten: readonly RewrittenFile[],
): Promise<Loaded> {
  const loaded = await load(over(files, rewritten));
  return { ...loaded, resources: asOf(loaded.resources, kinds, now) };
}

/** Returns a specification without some of its fields. */
function rest({ spec }: Resource, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(asJson(spec)).filter(([name]) => !fields.includes(name)));
}

/** Observes again with the rewritten manifests, because what a service says may depend on what is asked for. */
async function stillMoving(
  input: AdoptInput,
  groups: readonly Group[],
  files: readonly RewrittenFile[],
): Promise<Wishes & { readonly isSettled: boolean }> {
  if (groups.length === 0) return { groups, refusals: [], isSettled: true };
  const { resources } = await loadAgain(input, files);
  const addresses = new Set(groups.flatMap(({ members }) => members.map(({ resource }) => resource.address)));
  const declarations: Declarations = {
    ...input.declarations,
    desired: resources,
    base: resources,
    selected: ({ address }) => addresses.has(address),
  };
  const decided = await input.observe(declarations);
  const moving = new Map(
    decided.map(({ address, decision }) => [
      address,
      decision.is === "change" && "fields" in decision.change ? fieldsIn(decision.change) : [],
    ]),
  );
  const unread = new Map(decided.flatMap(unknownOf).map(({ address, problem }) => [address, problem]));
  const checked = groups.map((group) => {
    const problem = group.members.map(({ resource }) => unread.get(resource.address)).find(Boolean);
    if (problem !== undefined)
      return {
        group,
        wrong: group.fields,
        why: `Read again with the live value, it is unknown. ${problem.message}`,
        next: { ...group, fields: [] },
      };
    const fields = [...new Set(group.members.flatMap(({ resource }) => moving.get(resource.address) ?? []))];
    const wrong = fields.filter((name) => group.fields.includes(name));
    // What a kind compares may depend on another field, so a field may differ only now.
    const fresh = fields.filter((name) => !group.tried.includes(name));
    const kept = group.fields.filter((name) => !wrong.includes(name));
    const next = { ...group, fields: [...kept, ...fresh], tried: [...group.tried, ...fresh] };
    return { group, wrong, why: indescribable, next };
  });
  return {
    isSettled: checked.every(({ group, next }) => sameJson(group.fields, next.fields)),
    groups: checked.map(({ next }) => next),
    refusals: checked.flatMap(({ group, wrong, why }) => refused(group, wrong, why)),
  };
}
