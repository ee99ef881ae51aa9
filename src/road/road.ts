import { allServices } from "../clients/find-service.ts";
import { systemClock } from "../clients/http/clock.ts";
import { localPaces } from "../clients/http/pace.ts";
import { guarded } from "../clients/http/request-events.ts";
import { once } from "../core/once.ts";
import { ProblemError } from "../core/problem.ts";
import type { Basis, Plan } from "../core/run/plan.ts";
import type { Service } from "../core/service.ts";
import { diskRuns } from "../engine/journal/runs.ts";
import { findWorkspace, type LoadInput, readServices } from "../engine/load-workspace.ts";
import { diskLocks } from "../engine/locks/locks.ts";
import { readingInterrupted } from "../engine/observe/observe.ts";
import { diskReadings, noReadings } from "../engine/readings/readings.ts";
import { sinkOpener } from "../engine/secrets/sink.ts";
import { openSessions } from "../engine/sessions.ts";
import type { LoadOptions } from "../manifests/load.ts";
import { diskFiles, type FileSource } from "../manifests/sources/files.ts";
import { refuseTracked } from "../manifests/sources/refuse-tracked.ts";
import { watchedFiles } from "../manifests/sources/watched-files.ts";
import { openJudge } from "../manifests/trust/judge.ts";
import { kinds } from "../reconcilers/registry.ts";
import { tellStep } from "./progress.ts";
import type { OpenOptions } from "./types.ts";

/** A signal that is never aborted. */
const never = new AbortController().signal;

/** The parts of a workspace's road: those that were given, and the defaults of the others. */
export type Road = ReturnType<typeof openRoad>;

/** Assembles a road. Reads and sends nothing yet. */
export function openRoad(options: OpenOptions) {
  const { path = ".", env = process.env, clock = systemClock, onRequest, environment, trust } = options;
  const onProgress = guarded(options.onProgress);
  const { now = () => new Date(clock.now()), signal: atOnce = never, stopping = never } = options;
  const { folder, file } = findWorkspace(path);
  const {
    files: given = diskFiles(folder, path),
    repository = once(async () =>
      (await import("../manifests/sources/repository.ts")).openRepository(folder, file, env, atOnce),
    ),
    filesAt = async (ref: string) =>
      (await import("../manifests/sources/git-files.ts")).gitFiles(await repository(), ref),
    runs = diskRuns(folder, now),
    sinks = (allowExec: boolean) => sinkOpener({ folder, allowExec, env, signal: atOnce }),
    locks = diskLocks(env),
    readings = diskReadings(env, undefined, options.onDropped),
    openSessions: openEach = openSessions,
  } = options;
  const watched = options.watches === true ? watchedFiles(given) : undefined;
  const files = watched ?? given;
  const reading: LoadInput = {
    kinds,
    types: allServices,
    workspaceFile: file,
    variables: options.variables ?? {},
    values: options.values ?? [],
    environment,
  };
  const judgeBy = (ref: string | undefined) => openJudge(ref, reading, filesAt);
  const judge = judgeBy(trust);
  const paces = localPaces(clock);
  const kept = readings === false ? noReadings : readings;
  /** Opens sessions with the parts of this road, whose requests share the paces of this process, unless others are given. */
  const open: typeof openSessions = (services, mode, settings) =>
    openEach(services, mode, { pace: paces, env, clock, readings: kept, onRequest, ...settings });

  return {
    folder,
    file,
    env,
    clock,
    now,
    /** Nothing new is sent; aborted by the first interrupt. */
    signal: AbortSignal.any([atOnce, stopping]),
    /** Ends what is under way too; aborted by the second interrupt. */
    atOnce,
    stopping,
    repository,
    files,
    filesAt,
    /** The files that have changed since they were read; empty unless the workspace watches. */
    changes: async () => (await watched?.differing(given)) ?? [],
    runs,
    /** Throws if the journals can be part of a commit. */
    async requireOwnRuns() {
      if (options.runs !== undefined || runs.newest() === undefined) return;
      await refuseTracked(folder, env, atOnce);
    },
    sinks,
    locks,
    reading,
    /** The ref whose rules apply, if the workspace was opened with one. */
    trust,
    judge,
    judgeBy,
    /** Reads what the manifests declare. Documents repeated over a live list are left out unless `how` can read it. */
    load: (source: FileSource = files, how: Pick<LoadOptions, "readLiveList" | "repeats" | "digests"> = {}) =>
      judge.load({ ...reading, ...how, source }),
    /** Describes a base's commit; undefined if `filesAt` was given, because its files need not be those of the repository. */
    async basisOf(base: string, commit: string | undefined): Promise<Basis | undefined> {
      if (options.filesAt !== undefined || commit === undefined) return undefined;
      return (await import("../manifests/sources/applied-ref.ts")).basisOf(await repository(), base, commit, now());
    },
    /** The services of the workspace, from the trusted rules if there are any. */
    services: async (): Promise<readonly Service[]> => (await judge.services()) ?? readServices(reading, files),
    open,
    paces,
    queue: options.queue,
    openQueue: options.openQueue,
    onProgress,
    /** Reports the progress of reading, or of making calls if they are given. */
    telling: (calls?: Plan["calls"]) => tellStep(onProgress, clock.now, calls),
  };
}

/** Returns the value, or throws `ProblemError` SP5003 if the run was interrupted meanwhile. */
export function unlessInterrupted<T>({ signal }: Pick<Road, "signal">, value: T): T {
  if (!signal.aborted) return value;
  throw new ProblemError(readingInterrupted);
}
