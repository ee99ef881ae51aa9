import type { ObjectEvent } from "../../core/change.ts";
import type { Address } from "../../core/resource.ts";
import type { About, Plan, PlannedChange } from "../../core/run/plan.ts";
import { momentText } from "../../core/text/moment.ts";
import { counted } from "../../core/text/words.ts";
import { type Ignored, ignoredWords } from "../acknowledged.ts";
import { legend, type Meaning, markOf } from "../meanings.ts";
import { lineText } from "../places.ts";
import { type ToldChange, toldChange } from "../told-change.ts";
import { recentEvents } from "./drift-text.ts";
import { fieldLines } from "./field-text.ts";
import { continuation, cutFrom, firstOf, row, wrap } from "./layout.ts";
import { paintPart, type Style } from "./style.ts";

export interface ChangeOptions {
  /** Whether to also list what is in sync, and every field, line and event. */
  readonly all: boolean;
  readonly command: About["command"];
  /** How long each resource has differed, in words, if the history knows. */
  readonly since: ReadonlyMap<Address, string>;
  readonly basis: Plan["basis"];
  /** The fields that are left alone. */
  readonly ignored: Ignored;
}

/** The lines for a change: its fields, then its events on the service and its place. */
export function changeLines(change: PlannedChange, options: ChangeOptions, style: Style): readonly string[] {
  const { address, kind, key, verdict, note, instruction, events = [], place } = change;
  const { all, command, since, basis, ignored } = options;
  const told = toldChange(change, command);
  const { glyph, paint } = markOf(meaningOf(told.action, verdict), style);
  const lasting = since.get(address);
  const words = [
    ...told.words,
    ...(lasting === undefined ? [] : [lasting]),
    ...(note === undefined ? [] : [note]),
    ...ignoredWords(ignored, address),
  ];
  const emphasis = verdict === "conflict" ? "conflict" : told.risks.length > 0 ? "risk" : "aside";
  const [head = "", ...rest] = row(`  ${glyph} ${kind} ${key}`, words.join(", "), style, legend[emphasis].paint);
  return [
    paintPart(style, paint, head, glyph),
    ...rest,
    ...fieldLines(told, all, style),
    ...(instruction === undefined ? [] : wrap(instruction, style.width, continuation)),
    ...originLines(command === "drift" && !all ? recentEvents(events, basis) : events, all, lineText(place), style),
  ];
}

function meaningOf(action: ToldChange["action"], verdict: PlannedChange["verdict"]): Meaning {
  if (action === "check") return "person";
  return action === "update" && verdict === "conflict" ? "conflict" : action;
}

/** The most events of one object to list; the rest are counted. */
const mostEvents = 3;

/** Who changed the object, when and why, according to the service. The last line ends with the place of its declaration. */
function originLines(events: readonly ObjectEvent[], all: boolean, where: string, style: Style): readonly string[] {
  const { paint, symbols, width } = style;
  const { shown, more } = firstOf(events, mostEvents, all);
  const rest = more > 0 ? [`${symbols.ellipsis} ${counted(more, "more event")}; --all lists them`] : [];
  const texts = [...shown.map((event) => eventText(event, style)), ...rest];
  const last = texts.at(-1);
  if (last === undefined) return where === "" ? [] : wrap(where, width, continuation).map((line) => paint("dim", line));
  return [
    ...texts.slice(0, -1).flatMap((text) => wrap(text, width, continuation)),
    ...row(`${continuation}${last}`, where, style),
  ];
}

/** The width of a message in columns. The JSON has all of it. */
const messageWidth = 100;

export function eventText({ what, name = "", by, at, message = "", version }: ObjectEvent, { symbols }: Style): string {
  const done = what === "used" ? "last used" : what;
  const head = [name, done, ...(by === undefined ? [] : ["by", by])].filter((part) => part !== "").join(" ");
  const time = at === undefined ? [] : [momentText(at)];
  const [line = "", ...lines] = message.split("\n");
  const text = cutFrom(lines.length === 0 ? line : `${line}${symbols.ellipsis}`, 0, messageWidth, symbols.ellipsis);
  const parts = [...time, ...(version === undefined ? [] : [`v${version}`])];
  return `${[head, ...parts].join(by === undefined ? " " : ", ")}${text === "" ? "" : `: "${text}"`}`;
}
