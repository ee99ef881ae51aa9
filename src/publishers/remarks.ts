import { posix } from "node:path";
import type { CommentRange } from "../clients/review/records.ts";
import type { Problem } from "../core/problem.ts";
import { newlySaid } from "../reports/acknowledged.ts";
import { neutralMarkdown } from "../reports/neutral.ts";
import { execWords, triggerWords } from "../reports/text/plan-notes.ts";
import { type PlannedRun, type ResourceRow, resourceRows } from "../reports/text/summary.ts";
import { fieldChange } from "../reports/values.ts";
import type { News } from "./publisher.ts";

/** A remark at a place in a manifest. */
export interface Remark {
  /** Relative to the repository. */
  readonly path: string;
  readonly line: number;
  /** The part of the line. */
  readonly range?: CommentRange;
  readonly message: string;
  /** Whether someone should look at the remark before the change is submitted. */
  readonly unresolved: boolean;
}

/** The remarks at places in manifests, and the texts that have no such place. */
export interface Remarks {
  readonly placed: readonly Remark[];
  readonly unplaced: readonly string[];
}

/** The remarks about a run: every change and field, refusals, failures, and errors in the input. */
export function remarksOf(news: News, prefix: string): Remarks {
  const all = news.is === "made" ? subjectRemarks(news.subject) : news.is === "wrong" ? news.problems.map(mistake) : [];
  return {
    placed: all.flatMap(({ place, name, ...said }) => {
      if (place === undefined) return [];
      const { file, line, column } = place;
      const length = name?.length ?? 0;
      const range = {
        start_line: line,
        start_character: column - 1,
        end_line: line,
        end_character: column - 1 + length,
      };
      return [{ path: posix.join(prefix, file), line, ...(length === 0 ? {} : { range }), ...said }];
    }),
    unplaced: all.filter(({ place }) => place === undefined).map(({ message }) => message),
  };
}

/** A remark whose place is relative to the workspace. */
interface Said {
  readonly place: { readonly file: string; readonly line: number; readonly column: number } | undefined;
  /** The name at the place, if the remark is about that name only. */
  readonly name?: string;
  readonly message: string;
  readonly unresolved: boolean;
}

function subjectRemarks(subject: PlannedRun): readonly Said[] {
  const { refusals, changes } = subject.plan;
  const places = new Map(changes.map(({ address, place }) => [address, place]));
  return [
    ...refusals.map((problem) => {
      const { address } = problem;
      const said = mistake(problem);
      return { ...said, place: said.place ?? (address === undefined ? undefined : places.get(address)) };
    }),
    ...resourceRows(subject).flatMap(rowRemarks),
    ...asides(subject).map((message) => ({ place: undefined, message, unresolved: true })),
  ];
}

/** What a plan says about no change. */
function asides({ plan, report }: PlannedRun): readonly string[] {
  if (report !== undefined) return [];
  const said = newlySaid(plan).flatMap(({ title, entries }) =>
    entries.map(({ address, words }) => `${title}: ${neutralMarkdown(address)} ${neutralMarkdown(words)}`),
  );
  return [...said, ...[...execWords(plan), ...triggerWords(plan)].map(neutralMarkdown)];
}

function mistake({ code, message, hint, place }: Problem): Said {
  const more = hint === undefined ? "" : `\n\n${neutralMarkdown(hint)}`;
  return { place, message: `${code}: ${neutralMarkdown(message)}${more}`, unresolved: true };
}

function rowRemarks(row: ResourceRow): readonly Said[] {
  const { address, change, action, words, risks, result, problem } = row;
  const failed = problem === undefined || result === "applied" ? undefined : mistake(problem);
  if (change === undefined)
    return failed === undefined
      ? []
      : [{ ...failed, message: `${neutralMarkdown(address)} is unknown. ${failed.message}` }];
  const { place, fields, instruction, note } = change;
  const texts = row.fields.map((field) => fieldChange(field, neutralMarkdown));
  const lines = [
    `${action} ${neutralMarkdown(address)}: ${words.join(", ")}${result === undefined ? "" : `; ${result}`}`,
    ...[note, instruction].flatMap((text) => (text === undefined ? [] : [neutralMarkdown(text)])),
    ...(failed === undefined ? [] : [failed.message]),
    ...texts.filter((_text, at) => fields[at]?.place === undefined).map((text) => `- ${text}`),
  ];
  const unresolved = risks.length > 0 || failed !== undefined;
  const stated = fields.flatMap((field, at): readonly Said[] => {
    const name = field.path.at(-1);
    const side = row.fields[at]?.side;
    const message = `${texts[at]}${side === undefined ? "" : ` (${side})`}`;
    return field.place === undefined || name === undefined
      ? []
      : [{ place: field.place, name, message, unresolved: false }];
  });
  return [{ place, message: lines.join("\n\n"), unresolved }, ...stated];
}
