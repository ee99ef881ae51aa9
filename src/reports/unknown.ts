import { canonicalJson } from "../core/json.ts";
import type { UnknownResource } from "../core/plan.ts";
import { counted } from "../core/words.ts";
import { continuation, displayWidth, row, wrap } from "./layout.ts";
import { paintPart, type Style } from "./style.ts";

/** So many addresses are named; more are counted. */
const named = 3;

/** The unknown resources of one service, together where the problem is the same. */
export function unknownLines(unknown: readonly UnknownResource[], all: boolean, style: Style): readonly string[] {
  const groups = Map.groupBy(unknown, ({ problem: { code, message, hint } }) => canonicalJson([code, message, hint]));
  return [...groups.values()].flatMap((group) => groupLines(group, all, style));
}

function groupLines(group: readonly UnknownResource[], all: boolean, style: Style): readonly string[] {
  const [first] = group;
  if (first === undefined) return [];
  const { code, message, hint } = first.problem;
  const { width, paint, symbols } = style;
  const count = `  ? ${counted(group.length, "resource")}`;
  const line = `${count}  ${message}`;
  const isShort = displayWidth(line) + 2 + code.length <= width;
  const [head = "", ...rest] = row(isShort ? line : count, code, width, (right) => paint("dim", right));
  const shown = all || group.length <= named ? group : group.slice(0, named - 1);
  const more = group.length - shown.length;
  return [
    paintPart(style, "magenta", head, "?"),
    ...rest,
    ...(isShort ? [] : wrap(message, width, continuation)),
    ...shown
      .flatMap(({ address }) => wrap(address, width, `${continuation}  `))
      .map((address) => paint("dim", address)),
    ...(more > 0 ? [paint("dim", `${continuation}  ${symbols.ellipsis} ${more} more`)] : []),
    ...(hint === undefined ? [] : wrap(`Hint: ${hint}`, width, continuation)),
  ];
}
