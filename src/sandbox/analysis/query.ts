import { own } from "../../core/text/json.ts";
import { notModelled, Refusal } from "../refusal.ts";
import type { AnalysisIssue } from "./state.ts";

/** A test for each term: whether an issue matches the term's value. */
type Terms = Readonly<Record<string, (issue: Searched, value: string, exact: boolean) => boolean>>;
type Searched = Pick<AnalysisIssue, "builds" | "file" | "state" | "severity">;

const terms: Terms = {
  build: ({ builds }, value, exact) => builds.some((name) => (exact ? name === value : name.includes(value))),
  file: ({ file }, value) => file.includes(value),
  state: ({ state }, value) => value.toLowerCase().split(",").includes(state.toLowerCase()),
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
 * Compiles a search query, which selects the issues that match every term. Throws `Refusal`: 501 for a term that is
 * not modelled, 400 for an invalid one.
 * @see docs/api/analysis.md, search query
 */
export function matching(query: string): (issue: Searched) => boolean {
  const tests: ((issue: Searched) => boolean)[] = [];
  for (let rest = query.trim(); rest !== ""; ) {
    const [text, name = "", plus, quoted, word] = term.exec(rest) ?? [];
    const test = own(terms, name);
    const [, other = ""] = /^[-+]?(\w+):/.exec(rest) ?? [];
    if (termsOfProduct.split(" ").includes(other) || /^[-+]\w+:/.test(rest)) throw notModelled(`the term ${rest}`);
    if (text === undefined || test === undefined) throw new Refusal(400, `Invalid query at ${rest}`);
    tests.push((issue) => test(issue, quoted ?? word ?? "", plus === "+"));
    rest = rest.slice(text.length).trimStart();
  }
  return (issue) => tests.every((test) => test(issue));
}
