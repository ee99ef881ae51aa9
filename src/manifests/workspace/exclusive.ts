import type { Kind } from "../../core/kind.ts";
import { didYouMean } from "../../core/suggest.ts";
import { quote } from "../../core/words.ts";
import { problemAt, type ReportProblem } from "../yaml/source-text.ts";
import { follow, plain, valueRange } from "../yaml/tree.ts";
import type { WorkspaceParts } from "./read-workspace.ts";

/** Reports kinds that cannot be exclusive: SP1008 unknown ones, SP1002 those that have no list or cannot be deleted. */
export function checkExclusive(
  { exclusive, services }: WorkspaceParts,
  kinds: ReadonlyMap<string, Kind>,
  report: ReportProblem,
): void {
  for (const entry of exclusive?.is === "list" ? exclusive.entries : []) {
    const named = follow(entry, ["kind"]);
    const name = named.found ? plain(named.tree) : undefined;
    if (typeof name !== "string") continue;
    const kind = kinds.get(name);
    if (kind === undefined)
      report(
        problemAt(valueRange(named), "SP1008", `There is no kind ${quote(name)}.${didYouMean(name, kinds.keys())}`),
      );
    else if (kind.list === undefined || kind.permanent === true)
      report(problemAt(valueRange(named), "SP1002", `${name} cannot be exclusive: ${reasonAgainst(kind)}.`));
    const at = follow(entry, ["service"]);
    const service = at.found ? plain(at.tree) : undefined;
    if (typeof service !== "string") continue;
    if (!services.has(service))
      report(
        problemAt(
          valueRange(at),
          "SP1009",
          `There is no service ${quote(service)}.${didYouMean(service, services.keys())}`,
        ),
      );
  }
}

function reasonAgainst({ permanent }: Kind): string {
  return permanent === true ? "it is always there" : "its objects cannot be listed";
}
