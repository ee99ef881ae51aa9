import { basename } from "node:path";
import { allServices } from "./clients/find-service.ts";
import { systemClock } from "./clients/http/clock.ts";
import { credentialOrigin } from "./clients/origin.ts";
import { rootProblems } from "./clients/roots.ts";
import type { Basis } from "./core/basis.ts";
import { once } from "./core/once.ts";
import { ProblemError } from "./core/problem.ts";
import type { Service } from "./core/service.ts";
import { adopt } from "./engine/adopt/adopt.ts";
import { replaceFiles } from "./engine/adopt/rewritten-files.ts";
import { withDamage } from "./engine/damage.ts";
import { besidesNoManifests, findWorkspace, readServices, realFolder, serviceNamed } from "./engine/load-workspace.ts";
import { diskLocks } from "./engine/locks/locks.ts";
import { look } from "./engine/look.ts";
import type { OpenQueue } from "./engine/queue/open-queue.ts";
import { diskReadings, noReadings } from "./engine/readings/readings.ts";
import { diskRuns } from "./engine/runs.ts";
import { heldReader } from "./engine/secrets/held.ts";
import { sinkOpener } from "./engine/secrets/sink.ts";
import { type Connections, connectOnce, openSessions } from "./engine/sessions.ts";
import { diskFiles, type FileSource } from "./manifests/sources/files.ts";
import { watchedFiles } from "./manifests/sources/watched-files.ts";
import { openJudge } from "./manifests/trust/judge.ts";
import { withForecast } from "./planner/forecast.ts";
import { makePlan } from "./planner/make-plan.ts";
import type { Declarations } from "./planner/subjects.ts";
import { kinds } from "./reconcilers/registry.ts";
import { acknowledging, unquietIf } from "./setpoint-acknowledge.ts";
import { applier, tellingInterrupt } from "./setpoint-apply.ts";
import { declarer, selectionOf } from "./setpoint-declare.ts";
import { formatting } from "./setpoint-format.ts";
import { referencesAmong } from "./setpoint-graph.ts";
import { planByBoth } from "./setpoint-guards.ts";
import { openHistory } from "./setpoint-history.ts";
import { importing } from "./setpoint-import.ts";
import { requestedPart } from "./setpoint-part.ts";
import { pastOf, type Turn } from "./setpoint-past.ts";
import { type StepTeller, type ToldStep, tellStep } from "./setpoint-progress.ts";
import { publishingOf, usernamesOf } from "./setpoint-publish.ts";
import { paced, queuing, type ReadingHow } from "./setpoint-queue.ts";
import { recordApplied } from "./setpoint-record.ts";
import { offersOf, resume, save } from "./setpoint-saved.ts";
import { withStarts } from "./setpoint-starts.ts";
import type { OpenOptions, OpenWorkspace, Planned, PlanOptions, Wrong } from "./setpoint-types.ts";

export { ProblemError } from "./core/problem.ts";
export { mergeShards } from "./planner/parts/merge.ts";
export type * from "./setpoint-public-types.ts";

/** An interrupt that does not come. */
const never = new AbortController().signal;

/** Opens a workspace. Nothing is read and nothing is sent yet. */
export function openWorkspace(options: OpenOptions = {}): OpenWorkspace {
  const {
    path = ".",
    env = process.env,
    clock = systemClock,
    openSessions: openEach = openSessions,
    onProgress,
    onRequest,
  } = options;
  const { now = () => new Date(clock.now()), signal: atOnce = never, stopping = never } = options;
  const signal = AbortSignal.any([atOnce, stopping]);
  const { paces, open } = paced(openEach, clock);
  const { folder, file } = findWorkspace(path);
  const {
    files: given = diskFiles(folder, path),
    repository = once(async () =>
      (await import("./manifests/sources/repository.ts")).openRepository(folder, file, env),
    ),
    filesAt = async (ref) => (await import("./manifests/sources/git-files.ts")).gitFiles(await repository(), ref),
    runs = diskRuns(folder, now),
    sinks = (allowExec) => sinkOpener({ folder, allowExec, env, signal: atOnce }),
    locks = diskLocks(env),
    readings: keeping = diskReadings(env),
  } = options;
  const readings = keeping === false ? noReadings : keeping;
  const watched = options.watches === true ? watchedFiles(given) : undefined;
  const files = watched ?? given;
  const { environment, variables = {}, values = [], trust } = options;
  const reading = {
    kinds,
    types: allServices,
    workspaceFile: file,
    variables,
    values,
    ...(environment === undefined ? {} : { environment }),
  };

  async function basisOf(base: string): Promise<Basis | undefined> {
    if (options.filesAt !== undefined) return undefined;
    return (await import("./manifests/sources/applied-ref.ts")).basisOf(await repository(), base, now());
  }

  const judge = openJudge(trust, reading, filesAt);
  const declareAt = (moment: () => Date, by = judge) =>
    declarer({ reading, judge: by, files, filesAt, repository, basisOf, runs, now: moment });
  const declare = declareAt(now);
  const judgeFiles = (source: FileSource) => judge.load({ ...reading, source });
  const judgeBy = (ref: string) => openJudge(ref, reading, filesAt);
  const saving = { folder, repository, declareAt, now, trust, judgeBy, filesAt, env };

  async function services(): Promise<readonly Service[]> {
    return (await judge.services()) ?? readServices(reading, files);
  }

  const telling = (step: ToldStep) => tellStep(onProgress, step, clock.now);

  /** Connections that cannot write, for the life of one function. */
  async function reader<T>(
    use: (connections: Connections, onRead: StepTeller["onRead"]) => Promise<T>,
    { allowExec = false, pace = paces }: ReadingHow = {},
  ): Promise<T> {
    const held = heldReader({ folder, allowExec, env, signal: atOnce });
    const { onActivity, onRead } = telling({ step: "reading" });
    const connections = connectOnce({ signal, env, clock, pace, readings, held, onActivity, onRequest }, open);
    return use(connections, onRead).finally(() => connections.close());
  }

  function unlessInterrupted<T>(value: T): T {
    if (!signal.aborted) return value;
    throw new ProblemError({ code: "SP5003", message: "The run was interrupted before all services had answered." });
  }

  function planFor(planOptions: PlanOptions, isDrift: boolean, turn?: Turn, queue?: OpenQueue) {
    const how = { allowExec: planOptions.allowExec, pace: queue?.paces };
    return reader<Planned | Wrong>(async (connections, onRead) => {
      const declared = await declareAt(queue === undefined ? now : () => queue.now)(connections, planOptions, isDrift);
      if (declared.is === "wrong") return declared;
      const { workspace, formerly, orphans, judged, unjudged, basis, recording } = declared;
      const stated =
        turn === undefined ? declared.stated : await turn(declared.stated, workspace.services, connections);
      const { base, noDeletes = false, noExec = false, unmanaged = false, consent = {} } = planOptions;
      const { reaches, selection } = selectionOf(planOptions);
      const asked = { options: planOptions, isDrift, selection, reaches, stated, workspace, formerly };
      const part = await requestedPart({ ...asked, folder: realFolder(folder), repository });
      const settings = { ...workspace, unmanaged, history: true, ...part, signal, spread: queue?.spread, onRead };
      const lastRuns = locks.lastRuns(workspace.services);
      const looked = await look(stated, settings, connections);
      const planBy = (guards: typeof workspace.guards) =>
        makePlan({
          ...looked.declarations,
          ...looked,
          services: looked.reads,
          about: {
            command: isDrift ? "drift" : "plan",
            at: stated.now.toISOString(),
            workspace: basename(realFolder(folder)),
          },
          baseRef: base,
          basis,
          trusted: judged.trusted,
          unlisted: [...looked.unlisted, ...unjudged],
          // Nothing is applied after a drift, so there is nothing to accept.
          guards: { ...guards, ...(isDrift ? { accept: [] } : {}), noDeletes, noExec },
          consent,
          orphans,
          // A shard is not applied.
          onApplied: isDrift || planOptions.shard !== undefined ? [] : workspace.onApplied,
          offeredBy: offersOf(workspace),
        });
      const planned = planByBoth(workspace.guards, judged, planBy);
      if (planned.is === "wrong") return { ...planned, files: declared.files };
      const made =
        isDrift || turn !== undefined || part.part !== undefined ? {} : { made: { stated, workspace, selection } };
      const forecast = withForecast(planned.plan, looked.decided, looked.measured);
      const plan = withStarts(withDamage(forecast, declared.damage), workspace.services, env);
      return { ...planned, plan, looked, lastRuns, ...made, ...(recording === undefined ? {} : { recording }) };
    }, how);
  }

  const means = { env, clock, signal, atOnce, now, services, readings, open: openEach, onRequest };
  const { withQueue, work } = queuing(means, options);

  return {
    folder,
    changes: async () => (await watched?.differing(given)) ?? [],

    validate: () => judgeFiles(files),
    references: referencesAmong,
    plan: (planOptions = {}) => withQueue(planOptions, false, (queue) => planFor(planOptions, false, undefined, queue)),
    drift: (planOptions = {}) => withQueue(planOptions, true, (queue) => planFor(planOptions, true, undefined, queue)),
    work,

    save: (planned, saveOptions = {}) => save(planned, saveOptions, saving),
    resume: (text, resumeOptions = {}) =>
      reader(async (connections) => unlessInterrupted(await resume(text, resumeOptions, connections, saving))),

    apply: applier({
      folder,
      env,
      clock,
      now,
      stopping: signal,
      atOnce,
      open,
      runs,
      sinks,
      locks,
      readings,
      repository,
      onProgress,
      onRequest,
      telling,
    }),

    record: (planned, report) => recordApplied(planned, report, repository),

    ...pastOf(runs, planFor),

    ...publishingOf({
      folder: realFolder(folder),
      file,
      env,
      clock,
      signal: atOnce,
      open,
      services,
      repository,
      declared: async () => (await judge.load({ ...reading, source: files })).resources,
    }),

    importFrom: (name, importOptions = {}) =>
      reader((connections) => {
        const load = (lists: object) => judge.load({ ...reading, ...lists, source: files });
        return importing(name, importOptions, { connections, load, reading, folder, now, unlessInterrupted });
      }),

    adopt: (selected = {}) =>
      reader(async (connections) => {
        const declared = await declare(connections, selected, true);
        if (declared.is === "wrong") return declared;
        const { workspace } = declared;
        const unquiet = unquietIf((selected.only ?? []).length > 0);
        const stated = { ...declared.stated, desired: unquiet(declared.stated.desired) };
        const { reaches: reached, repeats } = selectionOf(selected);
        const settings = { ...workspace, unmanaged: false, history: false, reaches: reached, signal };
        const observe = (again: Declarations) =>
          reader(async (fresh, onRead) => (await look(again, { ...settings, onRead }, fresh)).decided);
        const adoption = await adopt({
          declarations: stated,
          decided: await observe(stated),
          files,
          load: async (source) => {
            const loaded = await judge.load({ ...reading, source, readLiveList: connections.readLiveList, repeats });
            return { ...loaded, resources: unquiet(loaded.resources) };
          },
          observe,
        });
        return { is: "adopted", adoption, write: () => replaceFiles(folder, adoption.files) };
      }),

    history: (place) => openHistory(place, repository, now),
    acknowledge: (request) => acknowledging(request, { folder, files, repository, env, now, load: judgeFiles }),
    format: (paths = []) => formatting(paths, { load: judgeFiles, files, folder, kinds }),

    async doctor() {
      const { workspace, resources, problems, files: count } = await judgeFiles(files);
      if (workspace === undefined) return { is: "wrong", problems, files: count };
      const { examine } = await import("./engine/doctor/examine.ts");
      const { services } = workspace;
      const { onActivity } = telling({ step: "reading" });
      const { sessions, close } = await open(services, "read", { signal, env, clock, readings, onActivity, onRequest });
      const usernames = usernamesOf(services, env);
      const problemsOf = (service: Service) => rootProblems(service, env);
      const originOf = (service: Service) => credentialOrigin(service, env);
      const about = { usernames, originOf, rootProblems: problemsOf };
      const input = { kinds, declared: resources, sessions, ...about, now: clock.now() };
      const examined = unlessInterrupted(await examine(services, input).finally(close));
      // A workspace without manifests is where one begins: that alone is not a mistake here.
      const mistakes = besidesNoManifests(problems, reading).length;
      return { is: "examined", services: examined, mistakes };
    },

    service: async (name) => serviceNamed(await services(), name),

    async call(service, operation, args, mode, { pageAll = false } = {}) {
      const { sessions, close } = await open([service], mode, {
        ...(mode === "write" ? { signal: atOnce, stopping } : { signal }),
        env,
        clock,
        readings,
        awaits: false,
        pageAll,
        onRequest,
      });
      const settled = mode === "write" ? tellingInterrupt({ onProgress, stopping: signal }, () => 1) : () => {};
      return Promise.resolve(sessions.get(service.name)?.call(operation, args)).finally(() => {
        settled();
        return close();
      });
    },
  };
}
