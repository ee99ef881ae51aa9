import type { Subject } from "../reports/summary.ts";
import type { PlanOptions } from "./plan-options.ts";
import type { Publishing } from "./publish.ts";
import { writeReports } from "./report-files.ts";

/** Which ways out a run has besides its output. */
export type DeliveryOptions = Pick<PlanOptions, "report"> & { readonly publishing: Publishing };

/**
 * Sends what a run came to everywhere it was asked to; false if a way out failed, which has been told. Throws the system's error
 * for a file that cannot be written.
 */
export async function deliver(subject: Subject, { report, publishing }: DeliveryOptions): Promise<boolean> {
  await writeReports(report, subject);
  return publishing.made(subject);
}
