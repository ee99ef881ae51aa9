import type { ServiceType } from "../../core/service.ts";
import { own } from "../../core/text/json.ts";
import { alternatives } from "../../core/text/words.ts";
import { escapedText, type StatedTrigger, triggerFacts } from "../../core/trigger.ts";
import { type Services, whyNotThere } from "../documents/service-for.ts";
import { placeOf, problemAt, type ReportProblem, sourceText, wholeOf } from "../yaml/source-text.ts";
import { follow, mappingAt, plain, type Tree, valueRange } from "../yaml/tree.ts";

/** The values of `${run.…}` in a workspace file. Each placeholder stands for itself, because only a run knows its value. */
export const factsTree = mappingAt(
  wholeOf(sourceText("run", "")),
  Object.fromEntries(Object.keys(triggerFacts).map((name) => [name, `\${run.${name}}`])),
);

/** Escapes variables, so that their strings stay the same when a run fills in its facts. */
export function escapedVariables(variables: ReadonlyMap<string, Tree>): ReadonlyMap<string, Tree> {
  return new Map([...variables].map(([name, tree]) => [name, escapedTree(tree)]));
}

function escapedTree(tree: Tree): Tree {
  switch (tree.is) {
    case "scalar":
      return typeof tree.value === "string"
        ? { ...tree, value: escapedText(tree.value), written: escapedText(tree.written) }
        : tree;
    case "list":
      return { ...tree, entries: tree.entries.map(escapedTree) };
    case "mapping":
      return {
        ...tree,
        entries: tree.entries.map(({ key, value }) => ({
          key: { ...key, name: escapedText(key.name) },
          value: escapedTree(value),
        })),
      };
  }
}

/**
 * Returns the calls that `onApplied` states. Reports SP1009 for a service that the workspace does not have, and SP1002 for
 * one that cannot do what is stated. Skips entries that do not fit the schema, which are already reported.
 */
export function triggersOf(
  list: Tree | undefined,
  services: Services,
  types: readonly ServiceType[],
  report: ReportProblem,
): readonly StatedTrigger[] {
  return (list?.is === "list" ? list.entries : []).flatMap((entry): readonly StatedTrigger[] => {
    const at = follow(entry, ["service"]);
    const name = at.found ? plain(at.tree) : undefined;
    if (entry.is !== "mapping" || typeof name !== "string") return [];
    const missing = whyNotThere(undefined, name, services);
    if (missing !== undefined) report(problemAt(valueRange(at), "SP1009", missing));
    const service = services.get(name);
    if (service === undefined) return [];
    const { triggers = {} } = types.find(({ role }) => role === service.role) ?? {};
    return entry.entries.flatMap(({ key, value }) => {
      const trigger = own(triggers, key.name);
      if (trigger === undefined) {
        const isKnown = types.some((type) => own(type.triggers, key.name) !== undefined);
        const words = Object.keys(triggers);
        const hint = words.length === 0 ? "It can start nothing." : `It can start a ${alternatives(words)}.`;
        if (isKnown) report(problemAt(key, "SP1002", `${name} (${service.type}) has no ${key.name}.`, { hint }));
        return [];
      }
      const stated = trigger.spec.safeParse(plain(value));
      if (!stated.success) return [];
      const { operation, args } = trigger.call(stated.data);
      return [{ service: name, operation, args, place: placeOf(key) }];
    });
  });
}
