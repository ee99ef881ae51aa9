import type { Subject } from "../reports/summary.ts";
import type { PlanOptions } from "./plan-options.ts";
import { writeReports } from "./report-files.ts";

/** Which ways out a run has besides its output. */
export type DeliveryOptions = Pick<PlanOptions, "report">;

/** Sends what a run came to everywhere it was asked to. Throws the system's error for a file that cannot be written. */
export async function deliver(subject: Subject, { report }: DeliveryOptions): Promise<void> {
  await writeReports(report, subject);
}
