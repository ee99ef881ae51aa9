import { allServices } from "../../clients/find-service.ts";
import { type Kind, rolesOf } from "../../core/kind.ts";
import { counted } from "../../core/text/words.ts";
import { kinds } from "../../reconcilers/registry.ts";
import { displayWidth, pad, widest, wrap } from "../../reports/text/layout.ts";
import { type ScreenOptions, styleOf } from "../../reports/text/style.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { type OutputOptions, openOutput, show } from "../terminal/output.ts";

/** `setpoint kinds`: what manifests can declare. */
export async function listKinds(options: OutputOptions): Promise<ExitCode> {
  const output = openOutput(options);
  const all = [...kinds.values()];
  show(output, { kinds: all.map(kindFacts) }, () => renderKinds(all, output));
  return exitCodes.ok;
}

/** A kind in the output of `--json`. An assertion has no writes: its differences need a person. */
export function kindFacts({ kind, role, summary, budget, compile, permanent }: Kind) {
  const assertion = compile === undefined;
  const writes = assertion ? null : budget.writes;
  return { kind, role, summary, reads: budget.reads, writes, assertion, permanent: permanent === true };
}

/** The kinds of each role, under the types that its services have in a workspace, one per line if it fits. */
export function renderKinds(kinds: readonly Kind[], options: ScreenOptions): string {
  const style = styleOf(options);
  const { symbols, width } = style;
  const names = widest(kinds, ({ kind }) => kind);
  const groups = allServices.flatMap(({ role, types }) => {
    const own = kinds.filter((kind) => rolesOf(kind).includes(role));
    if (own.length === 0) return [];
    const lines = own.flatMap(({ kind, summary, compile }) => {
      const mark = compile === undefined ? symbols.times : " ";
      const first = `${mark} ${pad(kind, names)}  `;
      return wrap(summary, width, first, " ".repeat(displayWidth(first)));
    });
    return [`${style.paint("bold", role)}${style.paint("dim", ` (${types.join(", ")})`)}\n${lines.join("\n")}`];
  });
  const checked = kinds.filter(({ compile }) => compile === undefined).length;
  const legend = checked === 0 ? "" : ` ${symbols.times} is only checked: a difference needs a person.`;
  const end = `${counted(kinds.length, "kind")}.${legend} setpoint explain <Kind> shows its fields.`;
  return [...groups, wrap(end, width).join("\n")].join("\n\n");
}
