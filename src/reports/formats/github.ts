import { type Alike, groupsBy } from "../../core/text/groups.ts";
import { counted } from "../../core/text/words.ts";
import { type Finding, findingsOf, levels } from "../findings.ts";
import { neutralLine } from "../neutral.ts";
import { repositoryPath } from "../places.ts";
import { firstOf } from "../text/layout.ts";
import type { RunResult } from "../text/summary.ts";

/** The most annotations of one level that GitHub shows for a step. */
const most = 10;

/**
 * The findings of a run as commands for GitHub's runner, one per line. GitHub shows them at the lines of the manifests. They
 * can be printed as they are, because every string in them is already neutral and escaped.
 * @see docs.github.com, Workflow commands for GitHub Actions
 */
export function githubAnnotations(result: RunResult): readonly string[] {
  const findings = findingsOf(result).filter(({ acknowledged }) => acknowledged === undefined);
  return levels.flatMap((level) => {
    const command = level === "note" ? "notice" : level;
    const own = findings.filter((finding) => finding.level === level);
    const causes = groupsBy(own, (finding) =>
      finding.place === undefined ? [finding.rule, finding.message] : [finding.message, finding.place, finding.address],
    );
    const { shown, more } = firstOf(causes, most);
    return [
      ...shown.map((alike) => annotation(command, alike, result.folder)),
      ...(more > 0 ? [`::${command} title=setpoint::${counted(more, `more ${command}`)}; see the job's summary`] : []),
    ];
  });
}

/** Several findings with one cause, and without a line, are one annotation. */
function annotation(command: string, { first, all }: Alike<Finding>, folder: string | undefined): string {
  const { rule, message, place, address } = first;
  const others = all.length > 1 ? ` and ${counted(all.length - 1, "other")}` : "";
  const title = address === undefined ? rule : `${rule}: ${address}${others}`;
  const properties = [
    `title=${escapeProperty(title)}`,
    ...(place === undefined
      ? []
      : [`file=${escapeProperty(repositoryPath(place.file, folder))}`, `line=${place.line}`, `col=${place.column}`]),
  ];
  const text = message.split("\n").map(neutralLine).join("\n");
  return `::${command} ${properties.join(",")}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(neutralLine(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
