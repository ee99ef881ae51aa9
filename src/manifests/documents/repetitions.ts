import { problemAt } from "../yaml/source-text.ts";
import type { Entry, Key, Mapping, Tree } from "../yaml/tree.ts";
import { type Substitution, substitute, type TemplateScope } from "./template.ts";

/** Returns the entries of a service's list that the mapping under `from` requests. */
export type Live = (from: Mapping) => readonly Tree[];

/**
 * Returns the scopes of a document with `forEach`: one for each entry of a list, or for each combination of the
 * entries of several lists. Reports SP1002 and what `substitute` does; throws `ProblemError` SP1011 if the scopes exceed
 * the rest of the budget.
 */
export function repetitions(forEach: Tree, substitution: Substitution, live: Live): readonly TemplateScope[] {
  const { scope, report, budget } = substitution;
  const whole = substitute(forEach, substitution);
  const over = listedUnder(whole) ?? whole;
  if (over.is === "scalar" || (over.is === "mapping" && over.entries.length === 0)) {
    const message = "forEach is a list, or a mapping from names to lists.";
    if (over.is === "mapping" || !over.broken) report(problemAt(over, "SP1002", message));
    return [];
  }
  if (over.is === "list") {
    budget.spend(over, { resources: over.entries.length });
    return eachOf(over).map((each, _index, [first]) => ({ ...scope, each, first }));
  }
  const lists = over.entries.map(({ key, value }) => ({ key, values: eachOf(value) }));
  const count = lists.reduce((product, { values }) => product * values.length, 1);
  budget.spend(over, { resources: count, values: count * lists.length });
  const eachAt = (index: number): Tree => ({ ...over, entries: combination(lists, index) });
  const first = eachAt(0);
  return Array.from({ length: count }, (_none, index) => ({ ...scope, each: eachAt(index), first }));

  /** Returns the entries of a live list as a list node. */
  function listedUnder(tree: Tree): Extract<Tree, { readonly is: "list" }> | undefined {
    const [from, ...others] = tree.is === "mapping" ? tree.entries : [];
    if (from?.key.name !== "from" || from.value.is !== "mapping" || others.length > 0) return undefined;
    return { is: "list", source: tree.source, start: tree.start, end: tree.end, entries: live(from.value) };
  }

  /** Names the document if a value is written in another file. */
  function usedBy({ source }: Tree) {
    return source === forEach.source ? {} : { other: forEach };
  }

  function eachOf(given: Tree): readonly Tree[] {
    const list = listedUnder(given) ?? given;
    const entries = list.is === "list" ? list.entries : undefined;
    if (entries === undefined && !(list.is === "scalar" && list.broken))
      report(problemAt(list, "SP1002", "forEach needs a list here.", usedBy(list)));
    return (entries ?? []).filter((entry) => {
      if (entry.is === "list")
        report(problemAt(entry, "SP1002", "An entry of forEach is a scalar or a mapping.", usedBy(entry)));
      return entry.is !== "list";
    });
  }
}

interface Choices {
  readonly key: Key;
  readonly values: readonly Tree[];
}

/** Returns the combination with the given index. The entries of the first list vary fastest. */
function combination(lists: readonly Choices[], index: number): readonly Entry[] {
  let rest = index;
  return lists.flatMap(({ key, values }) => {
    const value = values[rest % values.length];
    rest = Math.floor(rest / values.length);
    return value === undefined ? [] : [{ key, value }];
  });
}
