import type { Environment } from "../clients/credentials/credentials.ts";
import type { Clock } from "../clients/http/clock.ts";
import type { RequestEvent } from "../clients/http/request-events.ts";
import type { Effect } from "../core/operation.ts";
import type { Problem, Wrong } from "../core/problem.ts";
import type { Address, Resource } from "../core/resource.ts";
import type { Recorded, Report } from "../core/run/outcome.ts";
import type { PastRun } from "../core/run/past-run.ts";
import type { Consent, Plan } from "../core/run/plan.ts";
import type { PublishingDoor, PublishingTo, WorkspaceLocation } from "../core/run/publishing.ts";
import type { Service } from "../core/service.ts";
import type { JsonObject } from "../core/text/json.ts";
import type { AcknowledgeRequest } from "../engine/acknowledge.ts";
import type { Adoption } from "../engine/adopt/adopt.ts";
import type { RewrittenFile } from "../engine/adopt/rewritten-files.ts";
import type { Examined } from "../engine/doctor/examine.ts";
import type { FormattedFiles } from "../engine/format-files.ts";
import type { Imported } from "../engine/import.ts";
import type { Runs } from "../engine/journal/journal.ts";
import type { LastRuns, Locks } from "../engine/locks/locks.ts";
import type { Looked } from "../engine/observe/look.ts";
import type { openQueue, QueueOptions } from "../engine/queue/open-queue.ts";
import type { Work, WorkOptions } from "../engine/queue/work.ts";
import type { OnDropped, Readings } from "../engine/readings/readings.ts";
import type { SinkOpener } from "../engine/secrets/sink.ts";
import type { openSessions } from "../engine/sessions.ts";
import type { Recording } from "../manifests/sources/applied-ref.ts";
import type { FileSource } from "../manifests/sources/files.ts";
import type { Repository } from "../manifests/sources/repository.ts";
import type { Judged } from "../manifests/trust/judge.ts";
import type { Workspace } from "../manifests/workspace/read-workspace.ts";
import type { ShardNumber } from "../planner/parts/shards.ts";
import type { Selection } from "../planner/selection.ts";
import type { Declarations } from "../planner/subjects.ts";
import type { DeclaredReferences } from "./graph.ts";
import type { KeptHistory } from "./history.ts";
import type { Progress } from "./progress.ts";

/** The parts of a workspace's road. Each defaults to that of the disk, the process or the system. */
export interface OpenOptions {
  /** The workspace file, or the folder that has `setpoint.yaml`. The default is the working directory. */
  readonly path?: string | undefined;
  /** Also reads variables from `setpoint.<environment>.yaml`. */
  readonly environment?: string | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Files of variables; a later one overrides an earlier one. */
  readonly values?: readonly string[] | undefined;
  /** The git ref whose workspace file, policies and variables apply: a pull request decides nothing but its manifests. */
  readonly trust?: string | undefined;
  /** The files of the workspace's folder. */
  readonly files?: FileSource | undefined;
  /** Whether to remember what is read, for `changes`. */
  readonly watches?: boolean | undefined;
  /** The git repository that tracks the workspace file. */
  readonly repository?: (() => Promise<Repository>) | undefined;
  /** The same files as they are at a git ref. */
  readonly filesAt?: ((ref: string) => Promise<FileSource>) | undefined;
  /** Environment variables, which name credentials, secrets, proxies and certificates. */
  readonly env?: Environment | undefined;
  /** Ends every request and every wait immediately. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Sends nothing new: an apply lets the calls under way end, verifies them and reports. Whatever only reads ends immediately.
   * If the reason is a `ProblemError`, the calls that are left out carry it.
   */
  readonly stopping?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  /** Returns the moment of a run: what has expired by then should no longer exist. */
  readonly now?: (() => Date) | undefined;
  /** The journals of runs. */
  readonly runs?: Runs | undefined;
  /** Keeps other runs from writing to the same services. The default is files in the user's state folder. */
  readonly locks?: Locks | undefined;
  /** Answers with entity tags, kept beyond the process. The default is files in the user's cache folder; none if false. */
  readonly readings?: Readings | false | undefined;
  /** Called with the number of a service's answers that no longer fit into those files. */
  readonly onDropped?: OnDropped | undefined;
  /** Connects to services. */
  readonly openSessions?: typeof openSessions | undefined;
  /** Has workers, not this process, read what `plan` and `drift` look at. An apply does its own reading. */
  readonly queue?: QueueOptions | undefined;
  /** Opens that queue. The default is one in Redis. */
  readonly openQueue?: typeof openQueue | undefined;
  /** Opens the sinks of new secrets before a secret exists. `allowExec`: whether secrets may go to commands. */
  readonly sinks?: ((allowExec: boolean) => SinkOpener) | undefined;
  /** Called before and after every request. If it fails, that is only a warning. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called for every event of a request, for a log. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** How a plan is made. */
export interface PlanOptions extends Partial<Readonly<Record<keyof Selection, readonly string[] | undefined>>> {
  /** The git ref of the last applied commit: distinguishes pending from drift, and says what to prune. */
  readonly base?: string | undefined;
  /** The full git ref to move to the manifests' commit after a complete apply, such as `refs/setpoint/applied`. */
  readonly record?: string | undefined;
  /** Refuse a plan that deletes, or that does anything that cannot be undone. */
  readonly noDeletes?: boolean | undefined;
  /** Refuse a plan that gives a new secret to a command. */
  readonly noExec?: boolean | undefined;
  /** What to allow for this run only, although a guard of the workspace refuses it. */
  readonly consent?: Consent | undefined;
  /** Run the commands that manifests name, to read the secrets that they keep. */
  readonly allowExec?: boolean | undefined;
  /** Also list live objects of the declared kinds that no manifest declares. */
  readonly unmanaged?: boolean | undefined;
  /** Look only at what the manifests changed since `base`, and what depends on it. Such a plan can be read but not saved. */
  readonly affected?: boolean | undefined;
  /** Look at only one of several shards; `mergeShards` makes one plan of all of them. The plan cannot be applied. */
  readonly shard?: ShardNumber | undefined;
}

/** A plan, and what was seen when it was made. */
export interface Planned {
  readonly is: "planned";
  readonly plan: Plan;
  readonly looked: Looked;
  /** Workers have read for this plan: it can be shown and saved, and is made again before it is applied. */
  readonly spread?: true;
  /** Where `record` records a complete apply. */
  readonly recording?: Recording | undefined;
  /** The last run that had written to each service before it was read. Without it an apply first checks for changes since. */
  readonly lastRuns?: LastRuns;
  /** The services that another run wrote to while they were read; left out for a saved plan. */
  readonly early?: readonly string[];
  /** What the plan was made from; left out if that is not the manifests alone, or the plan is a saved one. */
  readonly made?: Made;
  /** Why calls are not sent, by id: in a saved plan, those about what has changed since. */
  readonly withheld?: ReadonlyMap<number, Problem>;
}

/** What the manifests declare, and the selection that the plan was narrowed to. */
export interface Made {
  readonly stated: Declarations;
  readonly workspace: Workspace;
  readonly selection: Selection;
}

/** How a plan is saved. */
export interface SaveOptions {
  /** How long the plan can be applied, such as `12h`. The default is 24 hours. */
  readonly expires?: string | undefined;
}

/** How a saved plan is taken up. */
export type ResumeOptions = Pick<PlanOptions, "record" | "noExec">;

/** A plan that undoes a run, like any other plan, with what it leaves to a person. */
export interface Reverting extends Planned {
  readonly left: readonly Problem[];
}

/** How a plan is applied. */
export interface ApplyOptions {
  /** Check first whether the services have changed since the plan was made, for example after asking a person. */
  readonly recheck?: boolean | undefined;
  /** Make no call, and throw `ProblemError` SP4003: if another run wrote while it was planned, or also if something has changed. */
  readonly refuses?: "early" | "outdated" | undefined;
  /** Give new secrets to the commands that manifests name. */
  readonly allowExec?: boolean | undefined;
  /** Milliseconds to wait for another run that writes to the same services, or has the lease. The default is 0. */
  readonly wait?: number | undefined;
  /** The full git ref of the remote `origin` on which to hold a lease meanwhile, such as `refs/setpoint/lease`. */
  readonly lease?: string | undefined;
  /** Called for each run that is waited for. */
  readonly onWaiting?: ((problem: Problem) => void) | undefined;
}

/** Manifests of the objects of a service that no manifest declares, in memory until they are written. */
export interface Importing {
  readonly is: "imported";
  readonly imported: Imported;
  /** The files that no glob of the workspace finds, so that no plan reads them. */
  readonly unfound: readonly string[];
  /** Requests sent to the service. */
  readonly reads: number;
  /** Writes the manifests. Throws `ProblemError` SP1017, and writes none, if a file already exists. */
  write(): void;
}

/** Manifests with live values put into them, in memory until they are written. */
export interface Adopting {
  readonly is: "adopted";
  readonly adoption: Adoption;
  /** Replaces the files. Throws `ProblemError` SP4003, and replaces none, if one has changed meanwhile. */
  write(): Promise<void>;
}

/** Manifests with acknowledgements put into them, in memory until they are written. */
export interface Acknowledging {
  readonly is: "acknowledged";
  readonly files: readonly RewrittenFile[];
  readonly addresses: readonly Address[];
  /** Replaces the files, as `Adopting.write`. */
  write(): Promise<void>;
}

/** What was found out about the services, and how many errors the manifests have. */
export interface Diagnosis {
  readonly is: "examined";
  readonly services: readonly Examined[];
  readonly errors: number;
}

/**
 * The road from a workspace's manifests to its services. Errors in the input are in the result. Every function
 * but `validate` and `service` opens its own connections and throws `ProblemError` SP5003 after an interrupt.
 */
export interface OpenWorkspace {
  /** The folder of the workspace file. */
  readonly folder: string;
  /** In a workspace opened with `watches`: the files that have changed, appeared or disappeared since it looked for them. */
  changes(): Promise<readonly string[]>;
  /** Checks the workspace file and all manifests. Asks no service. */
  validate(): Promise<Judged>;
  /** What declared resources refer to. Asks no service. */
  references(
    resources: readonly Resource[],
    selected: Pick<Selection, "service" | "kind" | "label">,
  ): DeclaredReferences;
  /** Compares the manifests with the services, over connections that cannot write. */
  plan(options?: PlanOptions): Promise<Planned | Wrong>;
  /** The same with the manifests themselves as the base, so that every difference is drift. */
  drift(options?: PlanOptions): Promise<Planned | Wrong>;
  /** Returns the saved form of a plan: plain JSON for `resume`, here or on another machine. Throws `ProblemError` SP5001. */
  save(planned: Planned, options?: SaveOptions): Promise<Plan>;
  /**
   * Takes up the text of a saved plan for `apply`. It must be a plan of these manifests, judged by the rules that it names, and
   * making it again must give the same calls. Calls about what has changed on the services since are withheld, with dependents.
   */
  resume(text: string, options?: ResumeOptions): Promise<Planned | Wrong>;
  /**
   * Makes exactly the calls of a plan, and reads again what they touched. Throws `ProblemError` with the plan's refusals if it
   * has any. One run at a time writes to a service: throws SP5005 if another run is writing, SP5006 if another run has the lease.
   */
  apply(planned: Planned, options?: ApplyOptions): Promise<Report>;
  /**
   * After an apply, or instead of one without calls: moves the ref of `PlanOptions.record` if everything is applied. Returns
   * undefined if the plan was made without it.
   */
  record(planned: Planned, report?: Report): Promise<Recorded | undefined>;
  /** Returns the runs that have left a journal, the newest first. Asks no service. */
  runs(): readonly PastRun[];
  /** Returns one of those runs. Throws `ProblemError` SP1018 if there is no such run. */
  run(name: string): PastRun;
  /** Plans to undo a run, from what it saw before its changes. Throws `ProblemError` SP1018 as `run` does. */
  revert(run: string, options?: Pick<PlanOptions, "noDeletes" | "consent">): Promise<Reverting | Wrong>;
  /**
   * Opens a connection to a service for the life of one function. It can read, and can write only what `to.writes` permits; a
   * plan's own connections cannot write. Continues after the first interrupt. Throws `ProblemError` SP1009 if the workspace has
   * no such service.
   */
  publishing<T>(to: PublishingTo, use: (door: PublishingDoor) => Promise<T>): Promise<T>;
  /** Where the workspace is in its repository; outside a repository it has the name of its folder. */
  location(): Promise<WorkspaceLocation>;
  /** What earlier runs saw, in a folder or a full git ref such as `refs/setpoint/history`. Asks no service. */
  history(place: string): KeptHistory;
  importFrom(
    service: string,
    options?: { readonly kinds?: readonly string[]; readonly out?: string | undefined },
  ): Promise<Importing | Wrong>;
  adopt(selection?: Pick<PlanOptions, keyof Selection>): Promise<Adopting | Wrong>;
  /** Writes into manifests that a difference is left alone until a given day. Asks no service. `by` defaults to the git user. */
  acknowledge(request: AcknowledgeRequest): Promise<Acknowledging | Wrong>;
  /** Puts the manifests at the given paths, or all of them, into their canonical form. Asks no service. */
  format(paths?: readonly string[]): Promise<FormattedFiles & { write(): Promise<void> }>;
  /** Examines the services of these names, or all. Throws `ProblemError` SP1009. */
  doctor(services?: readonly string[]): Promise<Diagnosis | Wrong>;
  /**
   * Reads for the plans of others until it is stopped: takes a queue's jobs for services that the environment has
   * credentials for. Manifests are not read. Throws `ProblemError` SP5008 without a queue.
   */
  work(options: WorkOptions): Promise<Work>;
  /** Returns the service of this name; manifests are not read. Throws `ProblemError`: errors in the file, SP1009. */
  service(name: string): Promise<Service>;
  /**
   * Sends one operation and decodes its answer; a write needs mode `write`. An answer that an argument caps is one page,
   * unless `pageAll` is set. Throws as `Connection.call` does.
   */
  call(
    service: Service,
    operation: string,
    args: JsonObject,
    mode: Effect,
    options?: { readonly pageAll?: boolean },
  ): Promise<unknown>;
}
