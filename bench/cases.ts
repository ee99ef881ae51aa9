import { affected } from "./cases/affected.ts";
import { client } from "./cases/client.ts";
import { deploy } from "./cases/deploy.ts";
import { largePage } from "./cases/large-page.ts";
import { packageSize } from "./cases/package.ts";
import { planning } from "./cases/planning.ts";
import { reads } from "./cases/reads.ts";
import { reports } from "./cases/reports.ts";
import { nightly, secondRun } from "./cases/second-run.ts";
import { shards } from "./cases/shards.ts";
import { sideBySide } from "./cases/side-by-side.ts";
import { start } from "./cases/start.ts";
import { byPeople, manyFiles, validate } from "./cases/validate.ts";
import { writes } from "./cases/writes.ts";
import type { Case } from "./harness/case.ts";

/** All cases, in the order in which they are shown. */
export const cases: readonly Case[] = [
  reads(1_000, 5),
  reads(10_000, 3),
  client,
  writes,
  secondRun,
  nightly,
  validate,
  byPeople,
  manyFiles,
  planning,
  start,
  reports,
  largePage,
  deploy,
  packageSize,
  affected,
  shards,
  sideBySide,
];
