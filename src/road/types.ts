import type { Environment } from "../clients/credentials.ts";
import type { Clock } from "../clients/http/clock.ts";
import type { RequestEvent } from "../clients/http/request-events.ts";
import type { JsonObject } from "../core/json.ts";
import type { Effect } from "../core/operation.ts";
import type { Report } from "../core/outcome.ts";
import type { PastRun } from "../core/past-run.ts";
import type { Consent, Plan } from "../core/plan.ts";
import type { Problem } from "../core/problem.ts";
import type { PublishingDoor, PublishingTo, WorkspaceLocation } from "../core/publishing.ts";
import type { Recorded } from "../core/recorded.ts";
import type { Address, Resource } from "../core/resource.ts";
import type { Service } from "../core/service.ts";
import type { AcknowledgeRequest } from "../engine/acknowledge.ts";
import type { Adoption } from "../engine/adopt/adopt.ts";
import type { RewrittenFile } from "../engine/adopt/rewritten-files.ts";
import type { Examined } from "../engine/doctor/examine.ts";
import type { FormattedFiles } from "../engine/format-files.ts";
import type { Imported } from "../engine/import.ts";
import type { Runs } from "../engine/journal.ts";
import type { LastRuns, Locks } from "../engine/locks/locks.ts";
import type { Looked } from "../engine/look.ts";
import type { openQueue, QueueOptions } from "../engine/queue/open-queue.ts";
import type { Work, WorkOptions } from "../engine/queue/work.ts";
import type { Readings } from "../engine/readings/readings.ts";
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

/** What a workspace's road is made of. Each part defaults to the disk's, the process's or the system's. */
export interface OpenOptions {
  /** The workspace file, or the folder that has `setpoint.yaml`; the working directory unless given. */
  readonly path?: string;
  /** Also reads variables from `setpoint.<environment>.yaml`. */
  readonly environment?: string | undefined;
  readonly variables?: Readonly<Record<string, string>>;
  /** Files of variables; a later one overrides an earlier one. */
  readonly values?: readonly string[];
  /**
   * The git ref whose workspace file, policies and files of variables hold, instead of those of the folder: manifests are
   * then all that a pull request decides.
   */
  readonly trust?: string | undefined;
  /** The files of the workspace's folder. */
  readonly files?: FileSource;
  /** Whether what is read is remembered, for `changes`. */
  readonly watches?: boolean;
  /** The git repository that tracks the workspace file. */
  readonly repository?: () => Promise<Repository>;
  /** The same files as they are at a git ref. */
  readonly filesAt?: (ref: string) => Promise<FileSource>;
  /** Where credentials, secrets, proxies and certificates are named. */
  readonly env?: Environment;
  /** Ends every request and every wait at once. */
  readonly signal?: AbortSignal;
  /**
   * Sends nothing new: an apply lets the calls under way end, verifies them and reports. Whatever only reads ends at once.
   * The reason may be a `ProblemError`, which the calls that are left out then have.
   */
  readonly stopping?: AbortSignal;
  readonly clock?: Clock;
  /** The moment of a run: what has expired by then should no longer exist. */
  readonly now?: () => Date;
  /** The journals. */
  readonly runs?: Runs;
  /** Keeps other runs from writing to the same services; files in the user's state folder unless given. */
  readonly locks?: Locks;
  /** Answers with entity tags, kept beyond the process; files in the user's cache folder unless given, none if false. */
  readonly readings?: Readings | false | undefined;
  /** Connects to services. */
  readonly openSessions?: typeof openSessions;
  /** Has workers read what `plan` and `drift` look at, in place of this process. An apply reads by itself. */
  readonly queue?: QueueOptions | undefined;
  /** Opens that queue; one in Redis unless given. */
  readonly openQueue?: typeof openQueue;
  /** Opens the places of new secrets, before there is one. `allowExec`: whether they may go to commands. */
  readonly sinks?: (allowExec: boolean) => SinkOpener;
  /** Called before and after every request. */
  readonly onProgress?: (progress: Progress) => void;
  /** Called with everything that happens to a request, for a log. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** What a plan is made for. */
export interface PlanOptions extends Partial<Selection> {
  /** The git ref of the last applied commit: tells pending from drift, and what to prune. */
  readonly base?: string | undefined;
  /** The full git ref to move to the manifests' commit after a complete apply, such as `refs/setpoint/applied`. */
  readonly record?: string | undefined;
  /** Refuse a plan that deletes, or does what cannot be undone. */
  readonly noDeletes?: boolean;
  /** Refuse a plan that gives a new secret to a command. */
  readonly noExec?: boolean;
  /** What is agreed to for this run alone, although a guard of the workspace refuses it. */
  readonly consent?: Consent;
  /** Ask the commands that manifests name for the secrets that they keep. */
  readonly allowExec?: boolean | undefined;
  /** Also list live objects of the declared kinds that nobody declares. */
  readonly unmanaged?: boolean;
  /** Look only at what the manifests changed since `base`, and what depends on it. For a plan that is read, not saved. */
  readonly affected?: boolean;
  /** Look only at one of several shards; `mergeShards` makes one plan of all of them. It cannot be applied. */
  readonly shard?: ShardNumber | undefined;
}

/** What is wrong with the input. Nothing was done. */
export interface Wrong {
  readonly is: "wrong";
  readonly problems: readonly Problem[];
  /** Manifests read. */
  readonly files: number;
  /** How many problems a person wants to see, as the workspace says. */
  readonly shown?: number;
}

/** A plan, with what was seen when it was made. */
export interface Planned {
  readonly is: "planned";
  readonly plan: Plan;
  readonly looked: Looked;
  /** Workers have read for it: it can be shown and saved, and is made again before it is applied. */
  readonly spread?: true;
  /** Where `record` notes a complete apply. */
  readonly recording?: Recording;
  /** Who had written before the services were looked at. Without it an apply looks first whether they have changed. */
  readonly lastRuns?: LastRuns;
  /** What the plan was made of; left out if it was not made of the manifests alone, or is a saved one. */
  readonly made?: Made;
  /** Calls that are not sent, by id, and why: those of a saved plan about what has changed since. */
  readonly withheld?: ReadonlyMap<number, Problem>;
}

/** What the manifests declare, and what a plan of them was narrowed to. */
export interface Made {
  readonly stated: Declarations;
  readonly workspace: Workspace;
  readonly selection: Selection;
}

/** How a plan is saved. */
export interface SaveOptions {
  /** How long it can be applied, such as `12h`; 24 hours unless given. */
  readonly expires?: string;
}

/** How a saved plan is taken up. */
export interface ResumeOptions extends Pick<PlanOptions, "record"> {
  /** Refuse a plan that gives a new secret to a command. */
  readonly noExec?: boolean;
}

/** The way back from a run, as a plan like any other, with what it leaves to a person. */
export interface Reverting extends Planned {
  readonly left: readonly Problem[];
}

/** How a plan is applied. */
export interface ApplyOptions {
  /** Look first whether the world has changed since the plan was made, as after asking a person. */
  readonly recheck?: boolean;
  /** Give new secrets to the commands that manifests name. */
  readonly allowExec?: boolean;
  /** Milliseconds to wait for another run that writes to the same services, or has the lease; not at all unless given. */
  readonly wait?: number;
  /** The full git ref of the remote `origin` on which to hold a lease meanwhile, such as `refs/setpoint/lease`. */
  readonly lease?: string | undefined;
  /** Called for each run that is waited for. */
  readonly onWaiting?: (problem: Problem) => void;
}

/** Manifests of what a service has and nobody declares, in memory until they are written. */
export interface Importing {
  readonly is: "imported";
  readonly imported: Imported;
  /** Requests sent to the service. */
  readonly reads: number;
  /** Writes the manifests. Throws `ProblemError` SP1017, and writes none, if a file already exists. */
  write(): void;
}

/** Live values put into manifests, in memory until they are written. */
export interface Adopting {
  readonly is: "adopted";
  readonly adoption: Adoption;
  /** Replaces the files. Throws `ProblemError` SP4003, and replaces none, if one was changed meanwhile. */
  write(): Promise<void>;
}

/** Acknowledgements put into manifests, in memory until they are written. */
export interface Acknowledging {
  readonly is: "acknowledged";
  readonly files: readonly RewrittenFile[];
  readonly addresses: readonly Address[];
  /** Replaces the files, as `Adopting.write`. */
  write(): Promise<void>;
}

/** What was found out about the services, and how many mistakes the manifests have. */
export interface Diagnosis {
  readonly is: "examined";
  readonly services: readonly Examined[];
  readonly mistakes: number;
}

/**
 * The road from a workspace's manifests to its services. What is wrong with the input is in the result. Every function
 * but `validate` and `service` connects for itself and throws `ProblemError` SP5003 after an interrupt.
 */
export interface OpenWorkspace {
  /** The folder of the workspace file. */
  readonly folder: string;
  /** Of a workspace opened with `watches`: whatever was read, found or missed here and is another file now. */
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
  /** The plan as it is saved: plain JSON for `resume`, here or on another machine. Throws `ProblemError` SP5001. */
  save(planned: Planned, options?: SaveOptions): Promise<Plan>;
  /**
   * Takes up the text of a saved plan for `apply`: it must be of these manifests, judged by the rules that the plan names, and
   * making it again must lead to the same calls. What has changed on the services since is withheld, with what depends on it.
   */
  resume(text: string, options?: ResumeOptions): Promise<Planned | Wrong>;
  /**
   * Makes exactly the calls of a plan, and reads again what they touched. One run at a time writes to a service: throws
   * `ProblemError` SP5005 if another one does, SP5006 if another one has the lease.
   */
  apply(planned: Planned, options?: ApplyOptions): Promise<Report>;
  /**
   * After an apply, or instead of one without calls: moves the ref of `PlanOptions.record`, if all is applied. Undefined if the
   * plan was made without it.
   */
  record(planned: Planned, report?: Report): Promise<Recorded | undefined>;
  /** The runs that have left a journal, the newest first. Asks no service. */
  runs(): readonly PastRun[];
  /** One of them. Throws `ProblemError` SP1018 if there is no such run. */
  run(name: string): PastRun;
  /** Plans the way back from a run, from what it saw before its changes. Throws `ProblemError` SP1018 as `run` does. */
  revert(run: string, options?: Pick<PlanOptions, "noDeletes" | "consent">): Promise<Reverting | Wrong>;
  /**
   * Opens a connection to a service for the life of one function. It reads, and writes what `to.writes` permits and nothing
   * else: a plan's own connections cannot write. Goes on after the first interrupt. Throws `ProblemError` SP1009 if the workspace
   * has no such service.
   */
  publishing<T>(to: PublishingTo, use: (door: PublishingDoor) => Promise<T>): Promise<T>;
  /** Where the workspace is in its repository; outside of one it has the name of its folder. */
  location(): Promise<WorkspaceLocation>;
  /** What earlier runs saw, in a folder or a full git ref such as `refs/setpoint/history`. Asks no service. */
  history(place: string): KeptHistory;
  importFrom(
    service: string,
    options?: { readonly kinds?: readonly string[]; readonly out?: string },
  ): Promise<Importing | Wrong>;
  adopt(selection?: Partial<Selection>): Promise<Adopting | Wrong>;
  /**
   * Writes into the manifests of resources that a difference is left alone until a day. Asks no service. Without `by`, it is
   * whom git knows.
   */
  acknowledge(request: AcknowledgeRequest): Promise<Acknowledging | Wrong>;
  /** Puts the manifests at paths, or all, into their one form. Asks no service. */
  format(paths?: readonly string[]): Promise<FormattedFiles & { write(): Promise<void> }>;
  doctor(): Promise<Diagnosis | Wrong>;
  /**
   * Reads for the plans of others until it is stopped: takes the jobs of a queue about services that the environment has
   * credentials for. Manifests are not read. Throws `ProblemError` SP5008 without a queue.
   */
  work(options: WorkOptions): Promise<Work>;
  /** The service of this name; manifests are not read. Throws `ProblemError`: mistakes in the file, SP1009. */
  service(name: string): Promise<Service>;
  /**
   * Sends one operation and decodes its answer; a write only in mode `write`. An answer that an argument caps is one page,
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
