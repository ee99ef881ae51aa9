import type { Command } from "commander";
import { addReport, type ReportFile } from "../results/report-files.ts";

/** Options for where a run's result goes in addition to the output. */
export interface ReportOptions {
  readonly report: readonly ReportFile[];
}

export function addReportOption(command: Command): Command {
  return command.option(
    "--report <format=file>",
    "also write text, json, markdown, html, junit, sarif, github or csv to a file (repeatable)",
    addReport,
    [],
  );
}
