import { own } from "../../core/text/json.ts";
import { notModelled, Refusal } from "../refusal.ts";
import type { AnalysisIssue } from "./state.ts";

/** A test for each term: whether an issue matches one of the term's values, which is in lower case. */
type Terms = Readonly<Record<string, (issue: Searched, value: string, exact: boolean) => boolean>>;
type Searched = Pick<AnalysisIssue, "builds" | "file" | "state" | "severity">;

const terms: Terms = {
  build: ({ builds }, value, exact) =>
    builds.map((name) => name.toLowerCase()).some((name) => (exact ? name === value : name.includes(value))),
  file: ({ file }, value) => file.toLowerCase().includes(value),
  state: ({ state }, value) => state.toLowerCase() === value,
  severity: ({ severity }, value) => {
    const [from = Number.NaN, to = from] = value.split("-").map(Number);
    return severity >= from && severity <= to;
  },
};

/** Terms of the product that the sandbox does not model. */
const termsOfProduct =
  "category code component date diff grouping id language message method module owner status taxonomy";

/** `name:value`, `name:'value'` and `name:+'value'`, separated by spaces. */
const term = /^(\w+):(\+?)(?:'([^']*)'|([^\s']+))(?=\s|$)/;

/**
 * Compiles a search query, which selects the issues that match every keyword with one of its values: those of all its terms,
 * each with commas between. A quoted value is one value. Throws `Refusal`: 501 for a term that is not modelled, 400 for an
 * invalid one.
 * @see docs/api/analysis.md, search query; docs/facts.md, Analysis: terms with the same keyword
 */
export function matching(query: string): (issue: Searched) => boolean {
  const tests = new Map<string, ((issue: Searched) => boolean)[]>();
  for (let rest = query.trim(); rest !== ""; ) {
    const [text, name = "", plus, quoted, word] = term.exec(rest) ?? [];
    const test = own(terms, name);
    const [, other = ""] = /^[-+]?(\w+):/.exec(rest) ?? [];
    if (termsOfProduct.split(" ").includes(other) || /^[-+]\w+:/.test(rest)) throw notModelled(`the term ${rest}`);
    if (text === undefined || test === undefined) throw new Refusal(400, `Invalid query at ${rest}`);
    const values = quoted === undefined ? (word ?? "").split(",") : [quoted];
    const some = values.map((value) => (issue: Searched) => test(issue, value.toLowerCase(), plus === "+"));
    tests.set(name, [...(tests.get(name) ?? []), ...some]);
    rest = rest.slice(text.length).trimStart();
  }
  return (issue) => [...tests.values()].every((some) => some.some((test) => test(issue)));
}
