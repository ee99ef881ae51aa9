import type { Problem } from "../core/problem.ts";
import type { Resource } from "../core/resource.ts";
import { namePattern } from "../core/text/glob.ts";
import { nearest, quote, someOf } from "../core/text/words.ts";

/** The resources that `--service`, `--kind`, `--label` and `--only` narrow a run to. An empty list narrows nothing. */
export interface Selection {
  readonly service: readonly string[];
  readonly kind: readonly string[];
  /** Addresses, or `Kind key` as a plan shows it; `*` matches any characters, but not in the address of a known resource. */
  readonly only: readonly string[];
  /** `key=value`, or `key` for any value; a resource must have all of them. */
  readonly label: readonly string[];
}

/** The parts of a resource that a selection depends on. */
export type Selectable = Pick<Resource, "address" | "service" | "kind" | "key" | "metadata">;

type Named = Pick<Resource, "address" | "kind" | "key">;

/** Whether a selection can leave something out. */
export function isNarrowed(selection: Selection): boolean {
  return Object.values(selection).some((words) => words.length > 0);
}

/** Returns a predicate: whether a resource is selected. What names one of the known resources selects no other. */
export function selects(
  { service, kind, only, label }: Selection,
  known: readonly Named[] = [],
): (resource: Selectable) => boolean {
  const patterns = only.map((text) => {
    const isName = nameOf(text);
    return text.includes("*") && known.some(isName) ? isName : addressPattern(text);
  });
  const labels = label.map(labelPattern);
  return (resource) =>
    (service.length === 0 || service.includes(resource.service)) &&
    (kind.length === 0 || kind.includes(resource.kind)) &&
    (patterns.length === 0 || patterns.some((pattern) => pattern(resource))) &&
    labels.every((fits) => fits(resource.metadata.labels));
}

/**
 * Returns a predicate: whether a selection can include undeclared live objects of a kind on a service. Such objects have no
 * labels. Kinds that the selection cannot include are not listed.
 */
export function reaches({ service, kind, only, label }: Selection): (service: string, kind: string) => boolean {
  const heads = only.map((text) => text.split("*", 1)[0] ?? "");
  const overlap = (a: string, b: string) => a.startsWith(b) || b.startsWith(a);
  return (serviceName, kindName) =>
    label.length === 0 &&
    (service.length === 0 || service.includes(serviceName)) &&
    (kind.length === 0 || kind.includes(kindName)) &&
    (heads.length === 0 ||
      heads.some((head) => overlap(head, `${serviceName}/${kindName}/`) || overlap(head, `${kindName} `)));
}

/**
 * Returns a problem for each selection that matches nothing: a run that silently checks nothing would look like success.
 * `isSought` tells the addresses that undeclared objects may have.
 */
export function emptySelections(
  selection: Selection,
  resources: readonly Resource[],
  isSought: (only: string) => boolean = () => false,
): readonly Problem[] {
  const nothing = (named: string, hint: string): Problem => ({
    code: "SP1018",
    message: `${named} matches nothing that the manifests declare.`,
    hint,
  });
  const empty = (option: keyof Selection, expected: string, named = `--${option}`): readonly Problem[] =>
    selection[option].includes("")
      ? [{ code: "SP1018", message: `${named} is empty.`, hint: `Expected ${expected}.` }]
      : [];
  const unsaid = [
    ...empty("service", "the name of a service"),
    ...empty("kind", "a kind, such as AccessRule"),
    // An argument of adopt and ack, too.
    ...empty("only", "an address, or a pattern of addresses such as 'review/*'", "An address"),
    ...empty("label", "key=value or a key"),
  ];
  if (unsaid.length > 0) return unsaid;
  const services = [...new Set(resources.map(({ service }) => service))];
  const kinds = [...new Set(resources.map(({ kind }) => kind))];
  const problems = [
    ...selection.service
      .filter((name) => !services.includes(name))
      .map((name) => nothing(`--service ${name}`, hintFor(name, services))),
    ...selection.kind
      .filter((name) => !kinds.includes(name))
      .map((name) => nothing(`--kind ${name}`, hintFor(name, kinds))),
    ...selection.only
      .filter((text) => !isSought(text) && !resources.some(addressPattern(text)))
      .map((text) => nothing(text, addressHint(text, resources))),
    ...selection.label
      .filter((text) => !resources.some(({ metadata }) => labelPattern(text)(metadata.labels)))
      .map((text) => nothing(`--label ${text}`, hintFor(text, labelsOf(resources)))),
  ];
  const { service, kind, label, only } = selection;
  const isAny = !isNarrowed(selection) || only.some(isSought) || resources.some(selects(selection, resources));
  if (problems.length > 0 || isAny) return problems;
  const said = [...service, ...kind, ...label, ...only].map(quote).join(", ");
  return [
    {
      code: "SP1018",
      message: `Together, ${said} match nothing that the manifests declare.`,
      hint: "Each matches something else: leave one out.",
    },
  ];
}

function labelPattern(text: string): (labels: Resource["metadata"]["labels"]) => boolean {
  const [key = "", ...value] = text.split("=");
  return (labels) => Object.hasOwn(labels, key) && (value.length === 0 || labels[key] === value.join("="));
}

function labelsOf(resources: readonly Resource[]): readonly string[] {
  const all = resources.flatMap(({ metadata }) => Object.entries(metadata.labels));
  return [...new Set(all.map(([key, value]) => `${key}=${value}`))];
}

/**
 * Returns what an address may have been written for. Reports show an invisible character of a name as `\u{200b}`, and so do the
 * commands that they print.
 */
export function spellings(text: string): readonly string[] {
  return [text, text.replace(/\\u\{([\da-f]{1,5})\}/g, (_all, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))];
}

function nameOf(text: string): (resource: Named) => boolean {
  const names = spellings(text);
  return ({ address, kind, key }) => names.includes(address) || names.includes(`${kind} ${key}`);
}

function addressPattern(text: string): (resource: Named) => boolean {
  const fits = namePattern(spellings(text), "*");
  return ({ address, kind, key }) => fits(address) || fits(`${kind} ${key}`);
}

/** Looks for a misspelt service or kind first: what follows it can be any pattern. */
function addressHint(text: string, resources: readonly Resource[]): string {
  const [said = ""] = /^[^ /]+(?: |\/[^/]+\/)/.exec(text) ?? [];
  const heads = resources.flatMap(({ service, kind }) => [`${service}/${kind}/`, `${kind} `]);
  const head = nearest(said, new Set(heads)) ?? said;
  const meant = head + text.slice(said.length);
  if (resources.some(addressPattern(meant))) return `Did you mean ${meant}?`;
  const names = resources.map(({ address, kind, key }) => (head.endsWith(" ") ? `${kind} ${key}` : address));
  const near = names.filter((name) => name.startsWith(head));
  return hintFor(meant, near.length === 0 ? names : near);
}

function hintFor(text: string, known: readonly string[]): string {
  const name = nearest(text, known);
  if (name !== undefined) return `Did you mean ${name}?`;
  return known.length === 0 ? "There are none in the manifests." : `The manifests declare ${someOf(known, 3)}.`;
}
