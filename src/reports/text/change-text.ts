import type { ObjectEvent, Risk } from "../../core/change.ts";
import type { Address } from "../../core/resource.ts";
import type { Plan, PlannedChange } from "../../core/run/plan.ts";
import { counted } from "../../core/text/words.ts";
import { differenceLines } from "../differences.ts";
import { legend, markOf } from "../meanings.ts";
import { type Ignored, ignoredWords } from "./acknowledged-text.ts";
import { recentEvents } from "./drift-text.ts";
import { continuation, cutFrom, firstOf, momentText, row, wrap } from "./layout.ts";
import { type Paint, paintPart, type Style } from "./style.ts";

/** The command that shows a plan. */
export type PlanCommand = "plan" | "drift";

/** How to show changes. */
export interface ChangeOptions {
  /** Whether to also list what is in sync, and all fields of what is created or deleted. */
  readonly all: boolean;
  readonly command: PlanCommand;
  /** How long each resource has differed, in words, if the history knows. */
  readonly since?: ReadonlyMap<Address, string>;
  readonly basis?: Plan["basis"];
}

/**
 * The lines for a change: its fields, then its events on the service and its place. A plan shows what an apply would do. A
 * drift shows what happened to the service or, if the service did not change, to the manifests.
 */
export function changeLines(
  change: PlannedChange,
  ignored: Ignored,
  { all, command, since, basis }: ChangeOptions,
  style: Style,
): readonly string[] {
  const { address, kind, key, verdict, note, instruction } = change;
  const happened = command === "drift" ? change.happened : undefined;
  const action = change.action === "check" ? "check" : (happened?.action ?? change.action);
  const { glyph, paint } = glyphOf(action, verdict, style);
  const words = [
    ...(command === "drift" ? happenedWords(change) : [verdict, ...change.risks.map(riskWords)]),
    ...(since?.has(address) ? [since.get(address) ?? ""] : []),
    ...(note === undefined ? [] : [note]),
    ...ignoredWords(ignored, address),
  ];
  const emphasis = verdict === "conflict" ? "conflict" : (happened ?? change).risks.length > 0 ? "risk" : "aside";
  const [head = "", ...rest] = row(`  ${glyph} ${kind} ${key}`, words.join(", "), style.width, (right) =>
    style.paint(legend[emphasis].paint, right),
  );
  return [
    paintPart(style, paint, head, glyph),
    ...rest,
    ...differenceLines(change, { all, isBackwards: happened !== undefined }, style),
    ...(instruction === undefined ? [] : wrap(instruction, style.width, continuation)),
    ...originLines(
      command === "drift" && !all ? { ...change, events: recentEvents(change.events ?? [], basis) } : change,
      style,
    ),
  ];
}

function glyphOf(
  action: PlannedChange["action"],
  verdict: PlannedChange["verdict"],
  style: Style,
): { readonly glyph: string; readonly paint: Paint } {
  switch (action) {
    case "create":
    case "delete":
      return markOf(action, style);
    case "check":
      return markOf("person", style);
    case "update":
      return markOf(verdict === "conflict" ? "conflict" : "update", style);
  }
}

/** What happened in a change, and on which side. */
export function happenedWords({ verdict, happened, risks }: PlannedChange): readonly string[] {
  if (happened === undefined) return [`${verdict}, only the manifests changed`, ...risks.map(riskWords)];
  const access = happened.risks.map((risk) => (risk === "widens-access" ? "widened" : "narrowed"));
  return [
    verdict === "conflict" ? "conflict, both sides changed" : verdict,
    ...(happened.action === "update" ? [] : [happened.action === "create" ? "was created" : "was deleted"]),
    ...(access.length === 0 ? [] : [`access was ${access.join(" and ")}`]),
  ];
}

const risksInWords: Readonly<Record<Risk, string>> = {
  "widens-access": "widens access",
  "narrows-access": "narrows access",
  irreversible: "cannot be undone",
  "secret-rotates": "rotates a secret",
};

export function riskWords(risk: Risk): string {
  return risksInWords[risk];
}

/** The most events of one object to list; the rest are counted. */
const mostEvents = 3;

/** Who changed the object, when and why, according to the service. The last line ends with the place of its declaration. */
function originLines({ events = [], place }: PlannedChange, style: Style): readonly string[] {
  const { paint, symbols, width } = style;
  const { shown, more } = firstOf(events, mostEvents);
  const rest = more > 0 ? [`${symbols.ellipsis} ${counted(more, "more event")}`] : [];
  const texts = [...shown.map((event) => eventText(event, style)), ...rest];
  const where = place === undefined ? "" : `${place.file}:${place.line}`;
  const dim = (text: string) => paint("dim", text);
  const last = texts.at(-1);
  if (last === undefined) return where === "" ? [] : wrap(where, width, continuation).map(dim);
  return [
    ...texts.slice(0, -1).flatMap((text) => wrap(text, width, continuation)),
    ...row(`${continuation}${last}`, where, width, dim),
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
