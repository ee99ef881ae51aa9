import type { UnknownResource } from "../../core/run/plan.ts";
import { type Alike, groupsBy } from "../../core/text/groups.ts";
import { counted, grouped } from "../../core/text/words.ts";
import { legend } from "../meanings.ts";
import { continuation, displayWidth, firstOf, leftOutLine, row, wrap } from "./layout.ts";
import { paintPart, type Style } from "./style.ts";

/** The most addresses to list for one problem; the rest are counted. */
const mostAddresses = 3;

/** The unknown resources, grouped by what their services answered. Those that only need another unknown one come last. */
export function unknownByProblem(unknown: readonly UnknownResource[]): readonly Alike<UnknownResource>[] {
  const waits = ({ first }: Alike<UnknownResource>) => Number(first.problem.code === "SP2003");
  return groupsBy(unknown, ({ problem: { code, message, hint } }) => [code, message, hint]).toSorted(
    (a, b) => waits(a) - waits(b),
  );
}

/** The lines for unknown resources, grouped by problem. `option` names all of them. */
export function unknownLines(
  unknown: readonly UnknownResource[],
  all: boolean,
  style: Style,
  option: "--all" | "--json" = "--all",
): readonly string[] {
  const { width, paint } = style;
  const indent = `${continuation}  `;
  return unknownByProblem(unknown).flatMap(({ first, all: group }) => {
    const { code, message, hint } = first.problem;
    const count = `  ? ${counted(group.length, "resource")}`;
    const line = `${count}  ${message}`;
    const isShort = displayWidth(line) + 2 + code.length <= width;
    const [head = "", ...rest] = row(isShort ? line : count, code, style);
    const { shown, more } = firstOf(group, mostAddresses, all);
    return [
      paintPart(style, legend.unknown.paint, head, "?"),
      ...rest,
      ...(isShort ? [] : wrap(message, width, continuation)),
      ...shown.flatMap(({ address }) => wrap(address, width, indent)).map((address) => paint("dim", address)),
      ...leftOutLine(more, `${grouped(more)} more; ${option} lists them`, indent, style),
      ...(hint === undefined ? [] : wrap(`Hint: ${hint}`, width, continuation)),
    ];
  });
}
