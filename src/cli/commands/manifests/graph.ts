import { counted } from "../../../core/text/words.ts";
import { dotText, graphOf, mermaidText } from "../../../reports/formats/graph.ts";
import type { Selection } from "../../../setpoint.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { type ManifestOptions, openFrom } from "../../options/options.ts";
import { failWith, openOutput, show } from "../../terminal/output.ts";

export interface GraphOptions extends ManifestOptions, Omit<Selection, "only"> {
  readonly format: "mermaid" | "dot";
}

/** `setpoint graph`: what the manifests declare, and what refers to what. Sends no request. */
export async function graph(options: GraphOptions): Promise<ExitCode> {
  const output = openOutput(options);
  const opened = openFrom(options);
  const { resources, problems, unexpanded, workspace } = await opened.validate();
  const { references, isSelected, problems: lost } = opened.references(resources, options);
  const wrong = problems.length > 0 ? problems : lost;
  if (wrong.length > 0)
    return failWith(output, { problems: wrong, shown: workspace?.limits.errors }, "Nothing was drawn.");
  const declared = resources.map(({ metadata: { state }, ...resource }) => ({ ...resource, state }));
  const drawn = graphOf(declared, references, isSelected);
  const notes =
    unexpanded === 0
      ? []
      : [
          `Left out: documents in ${counted(unexpanded, "file")} that repeat over lists of services, which only a plan reads.`,
        ];
  show(output, { ...drawn, unexpanded }, () => (options.format === "dot" ? dotText : mermaidText)(drawn, notes));
  return exitCodes.ok;
}
