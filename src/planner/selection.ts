import { namePattern } from "../core/glob.ts";
import type { Problem } from "../core/problem.ts";
import type { Resource } from "../core/resource.ts";
import { nearest } from "../core/words.ts";

/** What `--service`, `--kind` and `--only` narrow a run to; an empty list narrows nothing. */
export interface Selection {
  readonly service: readonly string[];
  readonly kind: readonly string[];
  /** Addresses, or `Kind key` as a plan shows it; `*` stands for any characters. */
  readonly only: readonly string[];
}

/** Whether a resource is selected. */
export function selects({ service, kind, only }: Selection): (resource: Resource) => boolean {
  const patterns = only.map(addressPattern);
  return (resource) =>
    (service.length === 0 || service.includes(resource.service)) &&
    (kind.length === 0 || kind.includes(resource.kind)) &&
    (patterns.length === 0 || patterns.some((pattern) => pattern(resource)));
}

/** Selections that match nothing: a run that silently checks nothing would look like success. */
export function emptySelections(selection: Selection, resources: readonly Resource[]): readonly Problem[] {
  const nothing = (named: string, value: string, known: readonly string[]): Problem => ({
    code: "SP1018",
    message: `${named} matches nothing that the manifests declare.`,
    ...suggestion(value, known),
  });
  const services = [...new Set(resources.map(({ service }) => service))];
  const kinds = [...new Set(resources.map(({ kind }) => kind))];
  const addresses = resources.map(({ address }) => address);
  return [
    ...selection.service
      .filter((name) => !services.includes(name))
      .map((name) => nothing(`--service ${name}`, name, services)),
    ...selection.kind.filter((name) => !kinds.includes(name)).map((name) => nothing(`--kind ${name}`, name, kinds)),
    ...selection.only
      .filter((text) => !resources.some(addressPattern(text)))
      .map((text) => nothing(text, text, addresses)),
  ];
}

function addressPattern(text: string): (resource: Pick<Resource, "address" | "kind" | "key">) => boolean {
  const fits = namePattern([text], "*");
  return ({ address, kind, key }) => fits(address) || fits(`${kind} ${key}`);
}

function suggestion(text: string, known: readonly string[]): { readonly hint?: string } {
  const name = nearest(text, known);
  return name === undefined ? {} : { hint: `Did you mean ${name}?` };
}
