import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Kind } from "../../core/kind.ts";
import { once } from "../../core/once.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import { isObject } from "../../core/text/json.ts";
import { shapeOf } from "../../core/text/json-schema.ts";
import { messageOf } from "../../core/text/reason.ts";
import { didYouMean, quote } from "../../core/text/words.ts";
import type { Declaration } from "../documents/documents.ts";
import { Envelope } from "../documents/manifest-schema.ts";
import type { FileSource } from "../sources/files.ts";
import type { PlacedPolicy } from "../workspace/read-workspace.ts";
import type { Policy } from "../workspace/workspace-schema.ts";
import type { Budget } from "../yaml/budget.ts";
import { readDocuments } from "../yaml/parse-documents.ts";
import { readText } from "../yaml/read-text.ts";
import { placeOf, problemAt, type Range, type ReportProblem } from "../yaml/source-text.ts";
import { entryOf, firstIn, follow, type Key, ownerRange, plain, stepsOf, type Tree, valueRange } from "../yaml/tree.ts";
import {
  inspect,
  type Meter,
  metered,
  meteredOptions,
  mostSchemas,
  patternCompiler,
  schemaSteps,
  withCosts,
} from "./policy-cost.ts";
import { reportViolations } from "./policy-words.ts";

/** Checks one document. Reports SP1019 for each violation; throws `ProblemError` if the budget is spent. */
export type PolicyCheck = (declaration: Declaration, budget: Budget, report: ReportProblem) => void;

/** Options that check keywords, because a misspelt one would let everything pass, but not style. */
const options: Options = {
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  addUsedSchema: false,
  logger: false,
  // A copy for each reference could exhaust memory.
  inlineRefs: false,
};

/** Where the schemas of policies are, and the budget for reading them. */
export interface PolicySources {
  readonly source: FileSource;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly budget: Budget;
}

/**
 * Reads the schema of a policy. Each policy is self-contained: a schema can refer only to itself, and nothing is ever
 * fetched.
 *
 * Reports SP1008 for an unknown kind, SP1017 for a file that cannot be read, SP1002 and SP1004 at the place of an invalid
 * JSON Schema in that file, and what `parseYaml` and `reportFields` report. Returns undefined if the policy cannot be used.
 */
export async function readPolicy(
  policy: PlacedPolicy,
  { source: files, kinds, budget }: PolicySources,
  report: ReportProblem,
): Promise<PolicyCheck | undefined> {
  reportKinds(policy, kinds, report);
  const source = await readText(files, policy.schema, { code: "SP1017" }).catch((error: unknown) => {
    throw atPolicy(error, policy);
  });
  const start = { source, start: 0, end: 0 };
  budget.spend(start, { characters: source.text.length });
  const { documents, isSound } = readDocuments(source, budget, report);
  const [tree, second] = documents;
  if (!isSound) return undefined;
  if (tree?.is !== "mapping" || second !== undefined) {
    report(problemAt(second ?? tree ?? start, "SP1002", "A policy file is one JSON Schema: a mapping."));
    return undefined;
  }
  const meter: Meter = { count: (work) => budget.spend(start, { work }) };
  const isValid = compile(tree, meter, report);
  if (isValid === undefined) return undefined;
  reportFields(tree, policy, kinds, report);
  return (declaration, ofCheck, tell) => {
    if (!isFor(policy, declaration)) return;
    const document = documentOf(declaration);
    meter.count = (work) => ofCheck.spend(declaration.at, { work });
    if (!withoutEnd(isValid, document, policy, declaration))
      reportViolations(policy, declaration, document, isValid.errors ?? [], tell);
  };
}

function reportKinds(policy: PlacedPolicy, kinds: ReadonlyMap<string, Kind>, report: ReportProblem): void {
  for (const [index, kind] of (policy.kinds ?? []).entries())
    if (!kinds.has(kind)) {
      const at = valueRange(follow(policy.entry, ["kinds", index]));
      report(problemAt(at, "SP1008", `There is no kind ${quote(kind)}.${didYouMean(kind, kinds.keys())}`));
    }
}

/** Moves the problem of an unreadable file to the workspace file, which names it. */
function atPolicy(error: unknown, { schema, entry }: PlacedPolicy): unknown {
  if (!(error instanceof ProblemError)) return error;
  const place = placeOf(valueRange(follow(entry, ["schema"])));
  return new ProblemError(
    ...error.problems.map((problem) =>
      problem.code === "SP1017"
        ? { ...problem, place, message: problem.message.replace("The file", quote(schema)) }
        : problem,
    ),
  );
}

function isFor({ kinds, labels = {} }: PlacedPolicy, { kind, metadata }: Declaration): boolean {
  if (kinds !== undefined && !kinds.includes(kind.kind)) return false;
  return Object.entries(labels).every(([name, value]) => metadata.labels[name] === value);
}

/** Returns the document as written, with defaults for omitted fields, and always with the name of its service. */
function documentOf({ kind, service, metadata, spec, document }: Declaration): unknown {
  const written = document();
  const stated = follow(written, ["metadata"]);
  return {
    kind: kind.kind,
    metadata: withDefaults(stated.found ? plain(stated.tree) : {}, { ...metadata, service: service.name }),
    spec: withDefaults(plain(follow(written, ["spec"]).tree), spec),
  };
}

/** Adds defaults from the parsed value. Written values take precedence: a policy is about what people write. */
function withDefaults(written: unknown, parsed: unknown): unknown {
  if (Array.isArray(written) && Array.isArray(parsed) && written.length === parsed.length)
    return written.map((entry, index) => withDefaults(entry, parsed[index]));
  if (!isObject(written) || !isObject(parsed)) return written;
  const names = new Set([...Object.keys(written), ...Object.keys(parsed).filter((name) => parsed[name] !== undefined)]);
  return Object.fromEntries(
    [...names].map((name) => [name, name in written ? withDefaults(written[name], parsed[name]) : parsed[name]]),
  );
}

/** Whether a document is valid. Throws `ProblemError` SP1011 if the schema refers to itself endlessly. */
function withoutEnd(isValid: ValidateFunction, document: unknown, policy: PlacedPolicy, { at }: Declaration): boolean {
  try {
    return isValid(document);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const hint = `Correct ${policy.schema}: a reference to itself has to go deeper into the document.`;
    throw new ProblemError(problemAt(at, "SP1011", `Policy ${policy.name} refers to itself endlessly.`, { hint }));
  }
}

/** Keywords whose subschemas apply to the same value. */
const inPlace = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

/**
 * Reports SP1004 for each field that has a rule in a policy's schema but can never occur: in a document, in its metadata,
 * or, if the policy names its kinds, in their specification. Such a rule would let everything pass.
 */
function reportFields(schema: Tree, policy: Policy, kinds: ReadonlyMap<string, Kind>, report: ReportProblem) {
  const named = (policy.kinds ?? []).map((name) => kinds.get(name));
  const specs = named.map((kind) => (kind === undefined ? [] : shapeOf(kind.spec).fieldsAt([])));
  const fields = new Map([
    ["A document", ["kind", "metadata", "spec"]],
    ["metadata", [...shapeOf(Envelope).fieldsAt(["metadata"]), "acknowledged"]],
    ["spec", specs.every((names) => names.length > 0) ? specs.flat() : []],
  ]);
  visit(schema, "A document");

  function visit(tree: Tree, owner: string): void {
    for (const inner of inPlace.flatMap((keyword) => schemasIn(entryOf(tree, keyword)?.value))) visit(inner, owner);
    const known = fields.get(owner) ?? [];
    if (known.length === 0) return;
    const rules = entryOf(tree, "properties")?.value;
    for (const { key, value } of rules?.is === "mapping" ? rules.entries : []) {
      if (!known.includes(key.name)) report(noField(owner, key, known));
      else if (owner === "A document") visit(value, key.name);
    }
  }
}

function schemasIn(part: Tree | undefined): readonly Tree[] {
  if (part === undefined) return [];
  return part.is === "list" ? part.entries : [part];
}

function noField(owner: string, key: Key, known: readonly string[]): Problem {
  const message = `${owner} has no field ${quote(key.name)}.${didYouMean(key.name, known)}`;
  return problemAt(key, "SP1004", message, { hint: "A rule for a field that does not exist lets everything pass." });
}

const drafts = [
  draftOf(/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, (more) => new Ajv({ ...options, ...more })),
  draftOf(/^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, (more) => new Ajv2020({ ...options, ...more })),
];

/** Returns a draft with its schema checker, which all policies share because it takes longer to create than a policy. */
function draftOf(uri: RegExp, open: (more: Options) => Ajv) {
  const free: Meter = { count: () => {} };
  return { uri, open, checker: once(() => metered(open(meteredOptions(patternCompiler(free), free)), free)) };
}

function compile(tree: Tree, meter: Meter, report: ReportProblem): ValidateFunction | undefined {
  const schema = plain(tree);
  if (!isObject(schema)) return undefined;
  const { $schema: draft = "http://json-schema.org/draft-07/schema#" } = schema;
  const known = drafts.find(({ uri }) => typeof draft === "string" && uri.test(draft));
  const refuse = (at: Range, message: string, hint?: string) => report(problemAt(at, "SP1002", message, { hint }));
  if (known === undefined) {
    refuse(valueRange(follow(tree, ["$schema"])), "Policies are JSON Schemas of draft 7 or 2020-12.");
    return undefined;
  }
  if (schema.$async !== undefined) {
    refuse(valueRange(follow(tree, ["$async"])), "A policy's schema cannot be asynchronous.");
    return undefined;
  }
  const compilePattern = patternCompiler(meter);
  const { schemas, foreign } = inspect(tree, compilePattern);
  for (const { at, message } of foreign) refuse(at, message, "Patterns cannot have lookaround or backreferences.");
  if (schemas > mostSchemas)
    report(problemAt(tree, "SP1011", `The policy has ${schemas} nested schemas; at most ${mostSchemas} are read.`));
  if (foreign.length > 0 || schemas > mostSchemas) return undefined;
  meter.count(schemas * schemaSteps);
  const checker = known.checker();
  if (checker.validateSchema(schema) !== true) {
    for (const { instancePath, message } of checker.errors ?? []) {
      const spot = follow(tree, stepsOf(schema, instancePath));
      refuse(spot.found ? valueRange(spot) : ownerRange(spot), `Not a valid JSON Schema: it ${message}.`);
    }
    return undefined;
  }
  try {
    const more = { ...meteredOptions(compilePattern, meter), validateSchema: false };
    return metered(known.open(more), meter).compile(withCosts(schema));
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    reportUnusable(tree, messageOf(error), report);
    return undefined;
  }
}

/** Reports an error of Ajv, which quotes what it does not understand but gives no place. The first match is shown. */
function reportUnusable(tree: Tree, message: string, report: ReportProblem): void {
  const keyword = /unknown keyword: "([^"]*)"/.exec(message)?.[1];
  const format = /unknown format "([^"]*)"/.exec(message)?.[1];
  const reference = /can't resolve reference (\S+)/.exec(message)?.[1];
  const isQuoted = (part: Tree) => part.is === "scalar" && part.value === (format ?? reference);
  const named = (part: Tree) => (keyword === undefined ? undefined : entryOf(part, keyword)?.key);
  const at = firstIn(tree, (part) => (isQuoted(part) ? part : named(part))) ?? tree;
  const tell = (words: string, hint?: string) => report(problemAt(at, "SP1002", words, { hint }));
  if (keyword !== undefined) report(problemAt(at, "SP1004", `JSON Schema has no keyword ${quote(keyword)}.`));
  else if (format !== undefined) tell(`The format ${quote(format)} is not supported.`, "Write a pattern instead.");
  else if (reference !== undefined)
    tell(
      `The schema refers to ${quote(reference)}, which it does not contain.`,
      "A policy's schema is one file; nothing is fetched.",
    );
  else tell(`The schema cannot be used: ${message}.`);
}
