import type { CheckResult } from "../../clients/check.ts";
import { counted } from "../../core/text/words.ts";
import type { Examined } from "../../engine/doctor/examine.ts";
import { markOf } from "../../reports/meanings.ts";
import { continuation, pad, widest, wrap } from "../../reports/text/layout.ts";
import { paintPart, type ScreenOptions, type Style, styleOf, visible } from "../../reports/text/style.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { type ManifestOptions, openFrom } from "../options/options.ts";
import { failWith, openOutput, show } from "../terminal/output.ts";
import { progressLine } from "../terminal/progress.ts";

/** `setpoint doctor`: examines services of the workspace, by default all, and says how to fix what is wrong. Cannot write. */
export async function doctor(
  names: readonly string[],
  options: ManifestOptions,
  signal: AbortSignal,
): Promise<ExitCode> {
  const output = openOutput(options);
  const progress = progressLine(options);
  const diagnosis = await openFrom(options, { signal, onProgress: progress.show }).doctor(names).finally(progress.end);
  if (diagnosis.is === "wrong") return failWith(output, diagnosis, "No service was asked.", exitCodes.wrong);
  const { services, errors } = diagnosis;
  show(output, { services, errors }, () => renderExamined(services, errors, output));
  const isWrong = services.some(({ findings }) => findings.some(({ result }) => result === "wrong"));
  return isWrong || errors > 0 ? exitCodes.wrong : exitCodes.ok;
}

/** Services with one line for each finding, and the counts. `errors` is the number of errors in the manifests. */
export function renderExamined(examined: readonly Examined[], errors: number, options: ScreenOptions): string {
  const style = styleOf(options);
  const findings = examined.flatMap((service) => service.findings);
  const isShown = ({ result }: CheckResult) => result !== "ok" || options.quiet !== true;
  const shown = examined.filter((service) => options.quiet !== true || service.findings.some(isShown));
  const width = widest(findings, ({ check }) => check);
  const lines = shown.flatMap(({ name, url, findings }) => [
    `${style.paint("bold", name)}  ${visible(url)}`,
    ...findings.filter(isShown).flatMap((finding) => findingLines(finding, width, style)),
    "",
  ]);
  const count = (result: CheckResult["result"]) => findings.filter((finding) => finding.result === result).length;
  return [
    ...lines,
    ...(errors === 0
      ? []
      : wrap(`The manifests have ${counted(errors, "error")}: setpoint validate shows them.`, style.width)),
    ...wrap(
      `${counted(examined.length, "service")}, ${counted(findings.length, "finding")}: ${count("wrong")} wrong, ${count("unknown")} unknown.`,
      style.width,
    ),
  ].join("\n");
}

function findingLines(
  { check, result, says, hint, code }: CheckResult,
  width: number,
  style: Style,
): readonly string[] {
  const { glyph, paint } = markOf(meanings[result], style);
  const indent = " ".repeat(width + 6);
  const text = visible(code === undefined ? says : `${says} (${code})`);
  const [head = "", ...tail] = wrap(text, style.width, `  ${glyph} ${pad(check, width)}  `, indent);
  const advice =
    hint === undefined || result !== "wrong"
      ? []
      : wrap(`Hint: ${visible(hint)}`, style.width, indent, `${indent}${continuation}`);
  return [paintPart(style, paint, head, glyph), ...tail, ...advice];
}

const meanings = { ok: "done", wrong: "wrong", unknown: "unknown" } as const;
