import type { Case, Context, Gap } from "./case.ts";
import type { CaseResult } from "./results.ts";
import type { Sample } from "./sample.ts";
import { lookUp } from "./statistics.ts";
import { takeTurns } from "./turns.ts";

/** Runs a case. What could not be measured is a gap of the result, with its reason. */
export async function measureCase(
  { name, title, how, prepare }: Case,
  context: Context,
  progress: (text: string) => void,
): Promise<CaseResult> {
  const result = { name, title, how };
  progress(name);
  const prepared = await prepare(context).catch((error: unknown) => ({ is: "skipped" as const, why: String(error) }));
  // Reasons are kept in the repository: what the folder is called on this machine is nobody's business.
  const anywhere = ({ what, why }: Gap): Gap => ({ what, why: why.replaceAll(context.folder, "…") });
  if (prepared.is === "skipped")
    return { ...result, verdicts: [], sides: [], gaps: [anywhere({ what: "all of it", why: prepared.why })] };
  const { samples, failures } = await takeTurns(prepared, (side, round) => progress(`${name}: ${side}, run ${round}`));
  const verdicts = prepared.verdicts(lookUp(samples));
  return {
    ...result,
    how: [how, ...(prepared.note === undefined ? [] : [prepared.note])].join(" "),
    verdicts: verdicts.flatMap(({ value, ...verdict }) =>
      value === undefined ? [] : [{ ...verdict, value: rounded(value) }],
    ),
    sides: [...samples].map(([side, taken]) => ({ name: side, samples: taken.map(roundedSample) })),
    gaps: [...(prepared.gaps ?? []), ...failures].map(anywhere),
  };
}

/** Counts are exact; of times four figures are more than are reproducible. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}

function roundedSample(sample: Sample): Sample {
  return Object.fromEntries(Object.entries(sample).map(([figure, value]) => [figure, rounded(value)]));
}
