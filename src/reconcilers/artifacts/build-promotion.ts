import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import type { BuildRecord } from "../../clients/artifacts/records.ts";
import { callOf } from "../../core/call.ts";
import { eventTime, type ObjectEvent, type Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { hasOnly, unlessMissing } from "../../core/problem.ts";
import { defined } from "../../core/text/json.ts";
import { Text } from "../shared/fields.ts";
import { observeEach } from "../shared/told.ts";
import { momentOf } from "./shared/items.ts";

const call = callOf<ArtifactsOperations>();

const BuildPromotion = z.strictObject({
  build: Text.describe("Name of the build."),
  number: Text.describe("Number of the build."),
  status: Text.describe("Status of the build, such as `released`."),
  targetRepo: Text.optional().describe(
    "Repository that has the build's files; a virtual one stands for where its deployments go.",
  ),
  copy: z.boolean().default(false).describe("Whether files are copied to `targetRepo`; otherwise they are moved."),
  artifacts: z.boolean().default(true).describe("Whether the files that the build produced go to `targetRepo`."),
  dependencies: z.boolean().default(false).describe("Whether the files that the build used go to `targetRepo` too."),
  scopes: z.array(Text).optional().describe("Scopes of the dependencies to include; all if left out."),
  properties: z
    .record(Text, z.array(z.string()).min(1))
    .optional()
    .describe("Properties to set on the promoted files, values by name."),
  ciUser: Text.optional().describe("User of the CI server who promotes the build, for its record."),
  dryRun: z.boolean().default(false).describe("Whether the apply sends a dry run first, and stops if it fails."),
});
type BuildPromotion = z.infer<typeof BuildPromotion>;

/** The readable part of a promotion: a build that was never promoted has neither status nor repository. */
type Promoted = Pick<BuildPromotion, "build" | "number"> & Partial<BuildPromotion>;

/** The promotion of a build: its current status, and the repository that has its files. */
export const buildPromotion: Kind<Promoted, ArtifactsOperations, undefined> = {
  kind: "BuildPromotion",
  role: "artifacts",
  summary: "The promotion of a build: its status, and the repository that has its files.",
  spec: BuildPromotion,
  budget: {
    reads:
      "1 getBuild per build, and 1 getRepository if its last promotion went to another repository than `targetRepo`",
    writes: "1 promoteBuild per build, 2 with a dry run",
  },
  notes: `The status is that of the build's last promotion, and the repository that of the last one with a repository: no
file moves if only the status changes. The service does not say how files got there, so the other fields take effect when
the build is promoted and are never a difference. A build that does not exist needs a
person. A promotion cannot be undone: a build removed from the manifests stays promoted. Only an administrator sees where the
deployments to a virtual repository go: for another account declare the repository that receives them.

With \`dryRun\` the plan lists two calls, the first with \`dryRun: true\`. A dry run is a write request, so it
is part of the apply, not of the plan. If it reports an error, the promotion is not sent.

Promotions are not listed: the service reports them only per build.`,
  permanent: true,
  key: ({ build, number }) => `${build}:${number}`,
  scope: ({ build }) => `build ${build}`,
  normalize: ({ status, targetRepo }) => ({ status, targetRepo }),

  observe: (read, _scope, wanted) => observeEach(wanted, buildPromotion, (spec) => observeBuild(read, spec)),

  needsPerson: (change) =>
    change.action === "create"
      ? `Build ${change.key} was not found: run it, correct its name and number, or give the account access to it.`
      : undefined,

  compile: (changes) =>
    changes.flatMap((change) => {
      if (change.action !== "update") return [];
      const { build, number, dryRun: dryRunFirst, ...promotion } = change.desired;
      // One to where the files are could move others. @see docs/facts.md, Artifacts: a promotion finds a build's files
      const targetRepo = promotion.targetRepo === change.live.targetRepo ? undefined : promotion.targetRepo;
      const args = { buildName: build, buildNumber: number, ...promotion, targetRepo };
      const runs = dryRunFirst === true ? [true, false] : [false];
      return runs.map((dryRun) => call("promoteBuild", { ...args, dryRun }, [change]));
    }),
};

async function observeBuild(read: ArtifactsReader, wanted: Promoted): Promise<Observation<Promoted, undefined>> {
  const { status: _status, targetRepo: _repository, ...how } = wanted;
  const found = await unlessMissing(read.getBuild({ buildName: how.build, buildNumber: how.number }));
  if (found === undefined) return { is: "absent", marker: undefined };
  const promotions = inTime(found.buildInfo.statuses ?? []);
  const last = promotions.at(-1);
  // A promotion without a repository leaves the files where they are.
  const recorded = promotions.findLast(({ repository }) => repository)?.repository;
  const targetRepo = await targetIn(read, wanted.targetRepo, recorded);
  // The manifest's way is also the way back: a revert of copies that moved files would delete them.
  const spec = defined({ ...how, status: last?.status, targetRepo });
  const { started } = found.buildInfo;
  const events = [...(last === undefined ? [] : [promotedBy(last)]), { what: "built", ...eventTime(started) } as const];
  return { is: "present", spec, marker: undefined, events };
}

/**
 * Returns the repository that a promotion recorded, or the wanted one if that is a virtual one whose deployments go there.
 * @see docs/facts.md, Artifacts: the promotion of a build
 */
async function targetIn(
  read: ArtifactsReader,
  wanted: string | undefined,
  recorded: string | undefined,
): Promise<string | undefined> {
  if (wanted === undefined || recorded === undefined || wanted === recorded) return recorded;
  const target = await read.getRepository({ key: wanted }).catch((error: unknown) => {
    // A repository that does not exist is refused when the build is promoted.
    if (hasOnly(error, "SP3004", "SP3005", "SP3007")) return undefined;
    throw error;
  });
  return target?.defaultDeploymentRepo === recorded ? wanted : recorded;
}

type Promotion = NonNullable<z.output<typeof BuildRecord>["buildInfo"]["statuses"]>[number];

/** @see docs/facts.md, Artifacts: a promotion names who made it */
function promotedBy({ ciUser, user, comment, timestamp }: Promotion): ObjectEvent {
  return defined({ what: "promoted", by: user ?? ciUser, ...eventTime(timestamp), message: comment || undefined });
}

/** Returns promotions by time, or by position in the list if times are equal or missing. */
function inTime(promotions: readonly Promotion[]): readonly Promotion[] {
  const moment = ({ timestamp }: Promotion) =>
    timestamp === undefined ? Number.POSITIVE_INFINITY : momentOf(timestamp);
  return promotions.toSorted((a, b) => (moment(a) < moment(b) ? -1 : moment(a) > moment(b) ? 1 : 0));
}
