import { own } from "../../core/text/json.ts";
import { notModelled, Refusal } from "../refusal.ts";
import type { ReviewChange } from "./change-state.ts";

type Test = (change: ReviewChange) => boolean;

/** A term: an optional `-`, then `name:value` or a word; values can be in quotes or braces. */
const term = /^(-?)(?:(\w+):)?(?:"((?:[^"\\]|\\.)*)"|\{([^{}]*)\}|([^\s"(){}]+))(?=\s|$)/;

/** Operators of the product, and values of its `is`, that the sandbox does not model. */
const operatorsOfProduct =
  "added age author bug cc cherrypickof comment commentby commit committer conflicts deleted delta directory draftby ext extension file footer from has hashtag inhashtag intopic label mergedafter mergedbefore message onlyextensions ownerin parentof parentproject path prefixtopic projects ref reviewedby reviewer reviewerin size star subject submissionid topic tr uploader visibleto";
const valuesOfProduct =
  "attention cherrypick merge mergeable owner private pure-revert reviewed reviewer starred submittable uploader watched wip";

/**
 * Compiles a query, which selects the changes that match every term, or every term on one side of an `OR`. Throws
 * `Refusal`: 501 for terms in parentheses and operators that are not modelled, 400 for an invalid query.
 */
export function selecting(query: string): Test {
  const sides: Test[][] = [[]];
  let negated = false;
  for (let rest = query.trim(); rest !== ""; ) {
    const [text, minus, name, quoted, braced, word] = term.exec(rest) ?? [];
    if (/^-?\(/.test(rest)) throw notModelled("terms in parentheses");
    if (text === undefined) throw new Refusal(400, `line 1:0 no viable alternative at input '${rest}'`);
    rest = rest.slice(text.length).trimStart();
    if (text === "OR") sides.push([]);
    else if (text === "NOT") negated = true;
    else if (text !== "AND") {
      const test = testOf(name, quoted?.replace(/\\(.)/g, "$1") ?? braced ?? word ?? "");
      sides.at(-1)?.push((minus === "-") === negated ? test : (change) => !test(change));
      negated = false;
    }
  }
  if (sides.some((tests) => tests.length === 0)) throw new Refusal(400, "query is empty");
  return (change) => sides.some((tests) => tests.every((test) => test(change)));
}

function testOf(name: string | undefined, value: string): Test {
  switch (name) {
    case undefined:
      return ({ subject }) => subject.includes(value);
    case "project": {
      const matches = naming(value);
      return ({ project }) => matches(project);
    }
    case "branch": {
      const matches = naming(value.replace(/^refs\/heads\//, ""));
      return ({ branch }) => matches(branch);
    }
    case "owner":
      return ({ owner }) => owner === value;
    case "change":
      return ({ number, changeId }) => value === String(number) || value === changeId;
    case "after":
    case "since": {
      const start = day(value);
      return ({ updated }) => Date.parse(updated) >= start;
    }
    case "before":
    case "until": {
      const end = day(value);
      return ({ updated }) => Date.parse(updated) < end;
    }
    case "is":
    case "status":
      return statusTest(value);
    default:
      if (operatorsOfProduct.split(" ").includes(name)) throw notModelled(`the operator ${name}`);
      throw new Refusal(400, `Unsupported operator ${name}:${value}`);
  }
}

/** Compiles a name, or after `^` a regular expression for a whole name. Throws `Refusal` 400 for an invalid expression. */
function naming(value: string): (name: string) => boolean {
  if (!value.startsWith("^")) return (name) => name === value;
  try {
    const pattern = new RegExp(`^(?:${value.slice(1)})$`);
    return (name) => pattern.test(name);
  } catch {
    throw new Refusal(400, `invalid regular expression ${value}`);
  }
}

function day(value: string): number {
  if (/^\d{4}-\d{2}-\d{2} /.test(value)) throw notModelled("times of a day");
  const time = /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw new Refusal(400, `Invalid date format: ${value}`);
  return time;
}

const statuses: Readonly<Record<string, readonly ReviewChange["status"][]>> = {
  open: ["NEW"],
  new: ["NEW"],
  pending: ["NEW"],
  closed: ["MERGED", "ABANDONED"],
  merged: ["MERGED"],
  abandoned: ["ABANDONED"],
};

function statusTest(value: string): Test {
  const wanted = own(statuses, value.toLowerCase());
  if (valuesOfProduct.split(" ").includes(value.toLowerCase())) throw notModelled(`is:${value}`);
  if (wanted === undefined) throw new Refusal(400, `Unrecognized value: ${value}`);
  return ({ status }) => wanted.includes(status);
}
