import type { Kind } from "../../core/kind.ts";
import type { Problem } from "../../core/problem.ts";
import type { Metadata, Resource } from "../../core/resource.ts";
import { parseSecretReference } from "../../core/secret.ts";
import type { Service } from "../../core/service.ts";
import { type SpecShape, shapeOf } from "../../core/text/json-schema.ts";
import { didYouMean, quote } from "../../core/text/words.ts";
import { reportIssues } from "../shape/issues.ts";
import { kept, type ParsedDocument } from "../yaml/parse-documents.ts";
import { placeOf, problemAt, type Range, type ReportProblem, unseen } from "../yaml/source-text.ts";
import { entryOf, follow, type Mapping, plain, type Scalar, type Tree, valueRange } from "../yaml/tree.ts";
import { withoutMetadata, withoutMisplaced } from "./levels.ts";
import type { LiveLists } from "./live-list.ts";
import { checkEnvelope, Envelope, metadataOf } from "./manifest-schema.ts";
import { repetitions } from "./repetitions.ts";
import { type Services, serviceFor } from "./service-for.ts";
import { type Substitution, substitute } from "./template.ts";

/** A valid document; one declaration for each repetition. */
export interface Declaration {
  readonly kind: Kind;
  readonly service: Service;
  readonly metadata: Metadata;
  readonly spec: unknown;
  /** The whole document as written, after variables and forEach. */
  readonly document: () => Tree;
  /** Set if the document has `forEach`. */
  readonly repeated?: true;
  /** Set if the document is repeated over a list of a service. */
  readonly listed?: true;
  /** The name of the kind, at which the document's problems are reported. */
  readonly at: Range;
}

/** Returns the specification of a declaration as written. */
export function specTree({ document }: Pick<Declaration, "document">): Tree {
  return follow(document(), ["spec"]).tree;
}

/** What documents may name. */
export interface Known {
  /** Looked up one by one: a kind that no document names might never be loaded. */
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly services: Services;
  readonly lists: LiveLists;
  /** Whether a document of a service is repeated over a live list. */
  readonly repeats: (service: Service, document: Pick<Resource, "kind" | "place">) => boolean;
}

const envelopeShape = shapeOf(Envelope);

/**
 * Returns what one document declares. Reports every error in its own fields and those of its kind: SP1002, SP1003, SP1004,
 * SP1008, SP1009, SP1015. Reports and throws what `substitute` and `repetitions` do.
 */
export function declarationsOf(
  { tree: document, again }: ParsedDocument,
  known: Known,
  substitution: Substitution,
): readonly Declaration[] {
  const { report, scope } = substitution;
  if (document.is !== "mapping") {
    const message = "A document is a mapping with kind, metadata and spec.";
    const hint =
      document.is === "list" && document.entries.length > 0
        ? "Write the fields without - before them; --- separates documents."
        : undefined;
    if (document.is === "list" || !document.broken) report(problemAt(document, "SP1002", message, { hint }));
    return [];
  }
  const forEach = entryOf(document, "forEach")?.value;
  const template =
    forEach === undefined
      ? document
      : { ...document, entries: document.entries.filter(({ key }) => key.name !== "forEach") };
  if (forEach === undefined) substitution.budget.spend(document, { resources: 1 });
  /** Names the document if a value in a variable is wrong in it. */
  function tell(problem: Problem): void {
    const isHere = problem.place?.file === document.source.file;
    report(isHere ? problem : { ...problem, other: placeOf(document) });
  }
  let isListed = false;
  const entriesFrom = (from: Mapping) => {
    isListed = true;
    return liveEntries(from, document, known, substitution);
  };
  const scopes = forEach === undefined ? [scope] : repetitions(forEach, substitution, entriesFrom);
  return scopes.flatMap((inner) => {
    const tree = substitute(template, { ...substitution, scope: inner });
    const declared =
      tree.is === "mapping" ? declare(tree, tree === document ? again : kept(tree), known, tell) : undefined;
    if (declared === undefined || forEach === undefined) return declared ?? [];
    return { ...declared, repeated: true, ...(isListed ? { listed: true } : {}) };
  });
}

/** Returns the entries of a live list; none if documents of the service are not to be repeated. */
function liveEntries(
  from: Mapping,
  document: Mapping,
  known: Known,
  { budget, report }: Substitution,
): readonly Tree[] {
  const { found, tree } = follow(document, ["kind"]);
  const kind = found && tree.is === "scalar" ? known.kinds.get(String(tree.value)) : undefined;
  const service = kind && serviceFor(document, kind, known.services, () => {});
  if (kind && service && !known.repeats(service, { kind: kind.kind, place: placeOf(tree) })) return [];
  return known.lists.entries(from, kind?.role, budget, report);
}

function declare(tree: Mapping, document: () => Tree, known: Known, report: ReportProblem): Declaration | undefined {
  const envelope = checkEnvelope(tree);
  const head = entryOf(tree, "kind")?.value;
  if (!envelope.success) {
    const subject = { name: "A manifest", root: tree, path: [], shape: envelopeShape };
    const kind = head?.is === "scalar" ? known.kinds.get(String(head.value)) : undefined;
    const shape = kind && shapeOf(kind.spec);
    reportIssues(subject, withoutMisplaced(tree, shape, envelope.error.issues, report), report);
  }
  const metadata = entryOf(tree, "metadata")?.value;
  if (metadata !== undefined) reportSecrets(metadata, undefined, report);
  if (head?.is !== "scalar" || typeof head.value !== "string") return undefined;
  const name = head.value;
  const kind = known.kinds.get(name);
  if (kind === undefined) {
    const message = `There is no kind ${quote(name)}.${didYouMean(name, known.kinds.keys())}`;
    report(problemAt(head, "SP1008", message));
    return undefined;
  }
  const spec = parseSpec(tree, kind, report);
  if (metadata !== undefined) reportMetadata(tree, kind, report);
  const service = serviceFor(tree, kind, known.services, report);
  if (!envelope.success || spec === undefined || service === undefined) return undefined;
  return {
    kind,
    service,
    metadata: metadataOf(envelope.data),
    spec: spec.parsed,
    document,
    at: { source: head.source, start: head.start, end: head.end },
  };
}

function parseSpec(tree: Mapping, kind: Kind, report: ReportProblem): { readonly parsed: unknown } | undefined {
  const spec = entryOf(tree, "spec")?.value;
  if (spec?.is !== "mapping") return undefined;
  const shape = shapeOf(kind.spec);
  reportSecrets(spec, shape, report);
  const result = kind.spec.safeParse(plain(spec));
  if (result.success) return { parsed: result.data };
  const issues = withoutMetadata(spec, shape, result.error.issues, report);
  reportIssues({ name: kind.kind, root: tree, path: ["spec"], shape }, issues, report);
  return undefined;
}

/** Reports metadata errors that only the kind can detect: unknown fields in `ignore`, and a state that is impossible. */
function reportMetadata(tree: Mapping, kind: Kind, report: ReportProblem): void {
  const ignored = follow(tree, ["metadata", "ignore"]);
  const fields = shapeOf(kind.spec).fieldsAt([]);
  const listed = ignored.found && ignored.tree.is === "list" ? ignored.tree.entries : [];
  for (const entry of listed.flatMap(namesIn)) {
    if (entry.is !== "scalar" || typeof entry.value !== "string" || fields.includes(entry.value)) continue;
    const message = `${kind.kind} has no field ${quote(entry.value)} to ignore.${didYouMean(entry.value, fields)}`;
    report(problemAt(entry, "SP1004", message));
  }
  const state = follow(tree, ["metadata", "state"]);
  if (kind.permanent && state.found && plain(state.tree) === "absent")
    report(
      problemAt(valueRange(state), "SP1002", `${kind.kind} always exists and cannot be absent.`, {
        hint: "Remove the document to stop managing it.",
      }),
    );
}

/** Returns the names in an entry of `ignore`: the entry itself, or the fields of an acknowledgement. */
function namesIn(entry: Tree): readonly Tree[] {
  if (entry.is !== "mapping") return [entry];
  const fields = entryOf(entry, "fields")?.value;
  return fields?.is === "list" ? fields.entries : [];
}

/**
 * Reports SP1015 for each reference to a secret outside a field that is marked secret, and for each value in such a
 * field that is not a reference. `shape` is undefined if no secrets are allowed.
 */
export function reportSecrets(tree: Tree, shape: SpecShape | undefined, report: ReportProblem): void {
  const marked = shape?.hasSecrets() === true ? shape : undefined;
  if (marked !== undefined || hasSecret(tree)) visit(tree, []);

  function visit(part: Tree, path: readonly PropertyKey[]): void {
    switch (part.is) {
      case "scalar":
        if (!part.broken) check(part, marked?.isSecret(path) === true);
        return;
      case "list":
        part.entries.forEach((entry, index) => {
          visit(entry, [...path, index]);
        });
        return;
      case "mapping":
        for (const { key, value } of part.entries) visit(value, [...path, key.name]);
    }
  }

  function check(scalar: Scalar, allowed: boolean): void {
    if (!allowed && scalar.secret) {
      const hint = "Only fields that a kind marks as secret may refer to one. Write $${ for a literal ${.";
      report(problemAt(scalar, "SP1015", "A reference to a secret is not allowed here.", { hint }));
    }
    if (!allowed || scalar.value === null) return;
    const isOwn = /^\$\{env:SETPOINT_/i.test(scalar.written);
    const isReference = scalar.secret === true && parseSecretReference(scalar.written) !== undefined;
    if (isReference && !isOwn) return;
    const message = isOwn
      ? "No service receives setpoint's own variables."
      : "A secret must not be written into a manifest.";
    report({
      code: "SP1015",
      message,
      hint: "Write nothing but a reference: ${env:NAME} or ${file:path}.",
      place: unseen(scalar),
    });
  }
}

function hasSecret(tree: Tree): boolean {
  if (tree.is === "scalar") return tree.secret === true;
  if (tree.is === "list") return tree.entries.some(hasSecret);
  return tree.entries.some(({ value }) => hasSecret(value));
}
