import type { PlannedRun } from "../../src/reports/text/summary.ts";
import { dataOf, pageOf } from "../support/page.ts";

export async function shown(subject: PlannedRun) {
  return dataOf(await pageOf(subject));
}

export async function rowOf(subject: PlannedRun, address: string) {
  const { rows } = await shown(subject);
  return rows.find((row) => row.address === address);
}
