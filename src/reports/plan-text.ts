import type { Risk } from "../core/change.ts";
import type { Plan, PlannedChange, PlannedService } from "../core/plan.ts";
import type { Address } from "../core/resource.ts";
import { counted } from "../core/words.ts";
import { differenceLines } from "./differences.ts";
import { continuation, displayWidth, pad, row, wrap } from "./layout.ts";
import { type PlanCommand, summaryLines } from "./plan-summary.ts";
import { problemLines } from "./problems.ts";
import { type Paint, paintPart, type ScreenOptions, type Style, styleOf } from "./style.ts";
import { unknownLines } from "./unknown.ts";
import { unmanagedLines } from "./unmanaged.ts";
import { visibleStrings } from "./visible.ts";

/** How a plan is shown. */
export interface PlanScreenOptions extends ScreenOptions {
  /** Also list what is in sync, and the fields of what is created. */
  readonly all: boolean;
  readonly command: PlanCommand;
}

/** The plan as a screen: by service, the gravest first; last why it is refused, and what an apply would do. */
export function renderPlan(plan: Plan, options: PlanScreenOptions): string {
  const style = styleOf(options);
  const shown = visibleStrings(plan);
  const ignored = Map.groupBy(shown.ignored, ({ address }) => address);
  const services = shown.services.map((service) => serviceLines(shown, service, ignored, options.all, style));
  const refusals = shown.refusals.map((problem) => problemLines(problem, style));
  const blocks = [
    ...services,
    refusals.length === 0 ? [] : [style.paint("bold", "An apply would refuse this plan:"), ...refusals.flat()],
    summaryLines(shown, options.command, style),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

/** The fields that are not managed, by resource. */
type Ignored = ReadonlyMap<Address, Plan["ignored"]>;

/** A service with its resources; empty where nothing about it is to be shown. */
function serviceLines(
  plan: Plan,
  service: PlannedService,
  ignored: Ignored,
  all: boolean,
  style: Style,
): readonly string[] {
  const { name, url, reads } = service;
  const changes = plan.changes.filter((change) => change.service === name).toSorted((a, b) => rank(a) - rank(b));
  const unknown = plan.unknown.filter((resource) => resource.service === name);
  const unmanaged = (plan.unmanaged ?? []).filter((address) => address.startsWith(`${name}/`));
  const inSync = all ? plan.inSync.filter((address) => address.startsWith(`${name}/`)) : [];
  const lines = [
    ...changes.flatMap((change) => changeLines(change, ignored, all, style)),
    ...unknownLines(unknown, all, style),
    ...inSync.flatMap((address) => inSyncLines(address, ignored, style)),
    ...unmanagedLines(unmanaged, all, style),
  ];
  if (lines.length === 0) return [];
  const widest = Math.max(...plan.services.map((each) => displayWidth(each.name)));
  const [head = "", ...rest] = row(`${pad(name, widest)}  ${url}`, counted(reads, "read"), style.width, (right) =>
    style.paint("dim", right),
  );
  return [paintPart(style, "bold", head, name), ...rest, ...lines];
}

const actionOrder = ["delete", "update", "create", "check"];

/** Conflicts first, then what is deleted. */
function rank({ action, verdict }: PlannedChange): number {
  return verdict === "conflict" ? -1 : actionOrder.indexOf(action);
}

function changeLines(change: PlannedChange, ignored: Ignored, all: boolean, style: Style): readonly string[] {
  const { address, kind, key, verdict, risks, note, instruction } = change;
  const { glyph, paint } = glyphOf(change, style);
  const words = [
    verdict,
    ...risks.map(riskWords),
    ...(note === undefined ? [] : [note]),
    ...ignoredWords(ignored, address),
  ];
  const emphasis = verdict === "conflict" ? "magenta" : risks.length > 0 ? "yellow" : "dim";
  const [head = "", ...rest] = row(`  ${glyph} ${kind} ${key}`, words.join(", "), style.width, (right) =>
    style.paint(emphasis, right),
  );
  return [
    paintPart(style, paint, head, glyph),
    ...rest,
    // What is created stands in its manifest, so its fields are news only to who asks for all.
    ...(change.action === "create" && !all ? [] : differenceLines(change, style)),
    ...(instruction === undefined ? [] : wrap(instruction, style.width, continuation)),
  ];
}

function glyphOf({ action, verdict }: PlannedChange, style: Style): { readonly glyph: string; readonly paint: Paint } {
  switch (action) {
    case "create":
      return { glyph: "+", paint: "green" };
    case "delete":
      return { glyph: "-", paint: "red" };
    case "check":
      return { glyph: style.symbols.times, paint: "cyan" };
    case "update":
      return verdict === "conflict" ? { glyph: "!", paint: "magenta" } : { glyph: "~", paint: "yellow" };
  }
}

function riskWords(risk: Risk): string {
  switch (risk) {
    case "widens-access":
      return "widens access";
    case "narrows-access":
      return "narrows access";
    case "irreversible":
      return "cannot be undone";
    case "secret-rotates":
      return "rotates a secret";
  }
}

function inSyncLines(address: Address, ignored: Ignored, style: Style): readonly string[] {
  const [, kind = "", ...key] = address.split("/");
  const words = ["in sync", ...ignoredWords(ignored, address)].join(", ");
  return row(`  = ${kind} ${key.join("/")}`, words, style.width, (right) => right).map((line) =>
    style.paint("dim", line),
  );
}

function ignoredWords(ignored: Ignored, address: Address): readonly string[] {
  const fields = (ignored.get(address) ?? []).map(({ field }) => field);
  return fields.length === 0 ? [] : [`ignores ${fields.join(" and ")}`];
}
