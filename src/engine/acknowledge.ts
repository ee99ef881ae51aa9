import { type Acknowledgement, holdsAt } from "../core/acknowledgement.ts";
import type { Kind } from "../core/kind.ts";
import { type Problem, problemsOf, type Wrong } from "../core/problem.ts";
import type { Address, Resource } from "../core/resource.ts";
import { sameJson } from "../core/text/json.ts";
import { shapeOf } from "../core/text/json-schema.ts";
import { didYouMean, quote } from "../core/text/words.ts";
import type { Loaded } from "../manifests/load.ts";
import { acknowledgementEdits } from "../manifests/rewrite/document.ts";
import type { FileSource } from "../manifests/sources/files.ts";
import { emptySelections, selects } from "../planner/selection.ts";
import { over, type RewrittenFile, rewriteFile } from "./adopt/rewritten-files.ts";

/** What to acknowledge, by whom and until when. */
export interface AcknowledgeRequest {
  /** Resources; `*` is a wildcard. */
  readonly addresses: readonly string[];
  readonly acknowledgement: Acknowledgement;
}

/** The input of an acknowledgement. */
export interface AcknowledgeInput extends AcknowledgeRequest {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly files: FileSource;
  readonly load: (files: FileSource) => Promise<Loaded>;
  readonly now: Date;
}

/** Manifests with acknowledgements added, in memory, or why none could be added. */
export type Acknowledged =
  | { readonly is: "acknowledged"; readonly files: readonly RewrittenFile[]; readonly addresses: readonly Address[] }
  | Wrong;

const day = 86_400_000;
/** The most days until an acknowledgement ends. To leave a field alone for longer, name it in `metadata.ignore`. */
const mostDays = 366;

/** Writes an acknowledgement into manifests; loaded again, they must otherwise declare the same as before. */
export async function acknowledge(input: AcknowledgeInput): Promise<Acknowledged> {
  const { addresses, acknowledgement, files, load } = input;
  const loaded = await load(files);
  const wrong = (problems: readonly Problem[]) => ({ is: "wrong", problems }) as const;
  if (loaded.problems.length > 0) return wrong(loaded.problems);
  const selection = { service: [], kind: [], only: addresses, label: [] };
  const chosen = loaded.resources.filter(selects(selection, loaded.resources));
  const mistakes = [
    ...emptySelections(selection, loaded.resources),
    ...dayProblems(input),
    ...fieldProblems(input, chosen),
  ];
  if (mistakes.length > 0) return wrong(mistakes);
  const problems: Problem[] = [];
  const byFile = Map.groupBy(chosen, ({ place }) => place.file);
  const rewritten = await Promise.all(
    [...byFile].map(([file, inFile]) =>
      rewriteFile(files, file, (manifest) =>
        inFile.flatMap(({ address, place }) => {
          try {
            return acknowledgementEdits(manifest, place, acknowledgement);
          } catch (error) {
            problems.push(...problemsOf(error).map((problem) => ({ ...problem, address })));
            return [];
          }
        }),
      ),
    ),
  );
  if (problems.length > 0) return wrong(problems);
  const again = await load(over(files, rewritten));
  if (again.problems.length > 0) return wrong(again.problems);
  const targets = new Set(chosen.map(({ address }) => address));
  const lost = loaded.resources.flatMap((before, index) => {
    const after = again.resources[index];
    return isAsWished(before, after, targets.has(before.address) ? acknowledgement : undefined) ? [] : [before];
  });
  if (lost.length > 0 || again.resources.length !== loaded.resources.length)
    return wrong(lost.map(({ address, place }) => ({ code: "SP1020", message: misplaced, address, place })));
  const changed = rewritten.filter(({ before, after }) => before !== after);
  return { is: "acknowledged", files: changed, addresses: [...targets] };
}

const misplaced =
  "The acknowledgement cannot be written into the manifest of this resource without changing what is declared.";

/** Whether a resource is as before, except for the acknowledgement to add. */
function isAsWished(before: Resource, after: Resource | undefined, added: Acknowledgement | undefined): boolean {
  if (after === undefined || after.address !== before.address || !sameJson(after.spec, before.spec)) return false;
  const { acknowledged: old = [], ...rest } = before.metadata;
  const { acknowledged: fresh = [], ...others } = after.metadata;
  const besides = (all: readonly Acknowledgement[]) =>
    added === undefined ? all : all.filter(({ fields }) => !sameJson(fields ?? null, added.fields ?? null));
  const has = added === undefined || fresh.some((one) => sameJson(one, added));
  return has && sameJson(rest, others) && sameJson(besides(old), besides(fresh));
}

function dayProblems({ acknowledgement: { until }, now }: AcknowledgeInput): readonly Problem[] {
  const last = new Date(now.getTime() + mostDays * day).toISOString().slice(0, 10);
  if (!holdsAt({ until }, now))
    return [
      {
        code: "SP5001",
        message: `${until} is in the past, so nothing would be acknowledged.`,
        hint: "Name a future day.",
      },
    ];
  if (until <= last) return [];
  const message = `${until} is too far away: a difference can be acknowledged for at most a year, until ${last}.`;
  return [{ code: "SP5001", message, hint: "Name the field in metadata.ignore if it should not be managed at all." }];
}

function fieldProblems({ acknowledgement: { fields = [] }, kinds }: AcknowledgeInput, chosen: readonly Resource[]) {
  return chosen.flatMap(({ address, kind: name, place }): readonly Problem[] => {
    const kind = kinds.get(name);
    const known = kind === undefined ? [] : shapeOf(kind.spec).fieldsAt([]);
    return fields
      .filter((field) => !known.includes(field))
      .map((field) => ({
        code: "SP1004",
        message: `${name} has no field ${quote(field)} to acknowledge.${didYouMean(field, known)}`,
        address,
        place,
      }));
  });
}
