/* The types of the package: those of its functions, and those that they name. */

export type { Environment } from "../clients/credentials/credentials.ts";
export type { Clock } from "../clients/http/clock.ts";
export type { RequestEvent } from "../clients/http/request-events.ts";
export type { PlannedCall } from "../core/call.ts";
export type { FieldDifference, ObjectEvent, Risk, Verdict } from "../core/change.ts";
export type { Effect } from "../core/operation.ts";
export type { Problem, ProblemCode, Wrong } from "../core/problem.ts";
export type { Address, Place, Point, Resource } from "../core/resource.ts";
export type { HistoryEntry } from "../core/run/history.ts";
export type { CallOutcome, Outcome, Recorded, Report } from "../core/run/outcome.ts";
export type { PastRun } from "../core/run/past-run.ts";
export type {
  About,
  Basis,
  Consent,
  Happened,
  IgnoredField,
  Plan,
  PlannedChange,
  PlannedService,
  SavedPart,
  Trusted,
  UnknownResource,
} from "../core/run/plan.ts";
export type { PublishingDoor, PublishingTo, WorkspaceLocation } from "../core/run/publishing.ts";
export type { Service, ServiceLimits } from "../core/service.ts";
export type { Json, JsonObject } from "../core/text/json.ts";
export type { AcknowledgeRequest } from "../engine/acknowledge.ts";
export type { Activity } from "../engine/activity.ts";
export type { Adoption } from "../engine/adopt/adopt.ts";
export type { RewrittenFile } from "../engine/adopt/rewritten-files.ts";
export type { Examined } from "../engine/doctor/examine.ts";
export type { FormattedFiles } from "../engine/format-files.ts";
export type { Imported } from "../engine/import.ts";
export type { Runs } from "../engine/journal/journal.ts";
export type { LastRuns, Locks } from "../engine/locks/locks.ts";
export type { Looked } from "../engine/observe/look.ts";
export type { OpenQueue, openQueue, QueueOptions } from "../engine/queue/open-queue.ts";
export type { Work, WorkOptions } from "../engine/queue/work.ts";
export type { OnDropped, Readings } from "../engine/readings/readings.ts";
export type { SinkOpener } from "../engine/secrets/sink.ts";
export type { openSessions } from "../engine/sessions.ts";
export type { Recording } from "../manifests/sources/applied-ref.ts";
export type { FileSource } from "../manifests/sources/files.ts";
export type { Repository } from "../manifests/sources/repository.ts";
export type { Judged } from "../manifests/trust/judge.ts";
export type { Workspace } from "../manifests/workspace/read-workspace.ts";
export type { ShardNumber } from "../planner/parts/shards.ts";
export type { Selection } from "../planner/selection.ts";
export type { Declarations } from "../planner/subjects.ts";
export type { DeclaredReferences } from "./graph.ts";
export type { KeptHistory } from "./history.ts";
export type { Progress, ServiceProgress } from "./progress.ts";
export type * from "./types.ts";
