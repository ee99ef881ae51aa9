import { basename } from "node:path";
import type { PaceOf } from "./clients/http/pace.ts";
import type { Wrong } from "./core/problem.ts";
import { defined } from "./core/text/json.ts";
import { adoptFields } from "./engine/adopt/adopt.ts";
import { replaceFiles } from "./engine/adopt/rewritten-files.ts";
import { formatFiles } from "./engine/format-files.ts";
import { besidesNoManifests, realFolder, serviceNamed } from "./engine/load-workspace.ts";
import { look } from "./engine/observe/look.ts";
import type { OpenQueue } from "./engine/queue/open-queue.ts";
import { heldReader } from "./engine/secrets/sink.ts";
import { type Connections, connectOnce } from "./engine/sessions.ts";
import { digestedOnce } from "./manifests/sources/files.ts";
import { withForecast } from "./planner/forecast.ts";
import { makePlan } from "./planner/make-plan.ts";
import { selects } from "./planner/selection.ts";
import type { Declarations } from "./planner/subjects.ts";
import { kinds } from "./reconcilers/registry.ts";
import { acknowledging, unquietIf } from "./road/acknowledge.ts";
import { applier, tellingInterrupt } from "./road/apply.ts";
import { declare, selectionOf, soughtInVain } from "./road/declare.ts";
import { referencesAmong } from "./road/graph.ts";
import { openHistory } from "./road/history.ts";
import { importing } from "./road/import.ts";
import { requestedPart } from "./road/part.ts";
import { pastOf, type Turn } from "./road/past.ts";
import { overlapProblem, planByBoth, withWarnings } from "./road/plan.ts";
import type { StepTeller } from "./road/progress.ts";
import { publishingOf } from "./road/publish.ts";
import { queuing } from "./road/queue.ts";
import { recordApplied } from "./road/record.ts";
import { openRoad, unlessInterrupted } from "./road/road.ts";
import { offersOf, resume, save } from "./road/saved.ts";
import type { OpenOptions, OpenWorkspace, Planned, PlanOptions } from "./road/types.ts";

export { ProblemError } from "./core/problem.ts";
export { mergeShards } from "./planner/parts/merge.ts";
export type * from "./road/public-types.ts";

/** Opens a workspace. Reads and sends nothing yet. */
export function openWorkspace(options: OpenOptions = {}): OpenWorkspace {
  const road = openRoad(options);
  const { folder, env, clock, signal, atOnce, repository, files, runs, locks, reading, open, load } = road;
  const { onProgress, services, telling } = road;

  /** Opens connections that cannot write, for the life of one function. */
  async function reader<T>(
    use: (connections: Connections, onRead: StepTeller["onRead"]) => Promise<T>,
    how: { readonly allowExec?: boolean | undefined; readonly pace?: PaceOf | undefined } = {},
  ): Promise<T> {
    const { allowExec = false, pace = road.paces } = how;
    const held = heldReader({ folder, allowExec, env, signal: atOnce });
    const { onActivity, onRead } = telling();
    const connections = connectOnce({ signal, pace, held, onActivity }, open);
    return use(connections, onRead).finally(() => connections.close());
  }

  function planFor(planOptions: PlanOptions, isDrift: boolean, turn?: Turn, queue?: OpenQueue) {
    const how = { allowExec: planOptions.allowExec, pace: queue?.paces };
    return reader<Planned | Wrong>(async (connections, onRead) => {
      const declared = await declare(road, connections, planOptions, isDrift, { at: queue?.now });
      if (declared.is === "wrong") return declared;
      const { workspace, undated, formerly, orphans, judged, unjudged, basis, recording } = declared;
      const stated =
        turn === undefined ? declared.stated : await turn(declared.stated, workspace.services, connections);
      const { base, noDeletes = false, noExec = false, unmanaged = false, consent = {} } = planOptions;
      const { reaches, selection } = selectionOf(planOptions);
      const asked = { options: planOptions, isDrift, selection, reaches, stated, undated, workspace, formerly };
      const part = await requestedPart({ ...asked, folder: realFolder(folder), repository });
      const settings = { ...workspace, unmanaged, history: true, ...part, signal, spread: queue?.spread, onRead };
      const lastRuns = locks.lastRuns(workspace.services);
      const looked = await look(stated, settings, connections);
      const problems = soughtInVain(declared, looked);
      if (problems.length > 0) return { is: "wrong", problems };
      const planBy = (guards: typeof workspace.guards) =>
        makePlan({
          ...looked.declarations,
          ...looked,
          services: looked.reads,
          about: {
            command: isDrift ? "drift" : "plan",
            at: stated.now.toISOString(),
            workspace: basename(realFolder(folder)),
            ...defined({ environment: options.environment }),
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
      if (planned.is === "wrong") return planned;
      const made =
        isDrift || turn !== undefined || part.part !== undefined ? {} : { made: { stated, workspace, selection } };
      const forecast = withForecast(planned.plan, looked.decided, looked.measured);
      const runsNow = locks.lastRuns(workspace.services);
      const isEarly = (name: string) => !lastRuns.has(name) || lastRuns.get(name) !== runsNow.get(name);
      const early = looked.reads.map(({ name }) => name).filter(isEarly);
      const warnings = early.length === 0 ? declared.warnings : [...declared.warnings, overlapProblem(early)];
      const plan = withWarnings(forecast, warnings, workspace.services, env);
      return { ...planned, plan, looked, lastRuns, early, ...made, recording };
    }, how);
  }

  const { withQueue, work } = queuing(road);

  return {
    folder,
    changes: road.changes,

    validate: () => load(),
    references: referencesAmong,
    plan: (planOptions = {}) => withQueue(planOptions, false, (queue) => planFor(planOptions, false, undefined, queue)),
    drift: (planOptions = {}) => withQueue(planOptions, true, (queue) => planFor(planOptions, true, undefined, queue)),
    work,

    save: (planned, saveOptions = {}) => save(planned, saveOptions, road),
    resume: (text, resumeOptions = {}) =>
      reader(async (connections) => unlessInterrupted(road, await resume(text, resumeOptions, connections, road))),

    apply: applier(road),

    record: (planned, report) => recordApplied(planned, report, repository),

    ...pastOf(runs, planFor),

    ...publishingOf(road),

    importFrom: (name, importOptions = {}) =>
      reader((connections) => importing(name, importOptions, connections, road)),

    adopt: (selected = {}) =>
      reader(async (connections) => {
        // The manifests are loaded several times, with different texts.
        const own = digestedOnce(files);
        const declared = await declare({ ...road, files: own }, connections, selected, true);
        if (declared.is === "wrong") return declared;
        const { workspace } = declared;
        // What no manifest declares cannot be adopted.
        const problems = soughtInVain(declared, { declarations: declared.stated });
        if (problems.length > 0) return { is: "wrong", problems };
        const unquiet = unquietIf((selected.only ?? []).length > 0);
        const stated = { ...declared.stated, desired: unquiet(declared.stated.desired) };
        const { reaches: reached, repeats, selection } = selectionOf(selected);
        const how = { readLiveList: connections.readLiveList, repeats, digests: selects(selection) };
        const settings = { ...workspace, unmanaged: false, history: false, reaches: reached, signal };
        const observe = (again: Declarations) =>
          reader(async (fresh, onRead) => (await look(again, { ...settings, onRead }, fresh)).decided);
        const adoption = await adoptFields({
          declarations: stated,
          decided: await observe(stated),
          files: own,
          load: async (source) => {
            const loaded = await load(source, how);
            return { ...loaded, resources: unquiet(loaded.resources) };
          },
          observe,
        });
        return { is: "adopted", adoption, write: () => replaceFiles(folder, adoption.files) };
      }),

    history: (place) => openHistory(place, road),
    acknowledge: (request) => acknowledging(request, road),
    async format(paths = []) {
      const formatted = await formatFiles(await load(), paths, { files, folder, kinds });
      return { ...formatted, write: () => replaceFiles(folder, formatted.files) };
    },

    async doctor(names = []) {
      const { workspace, resources, problems } = await load();
      if (workspace === undefined) return { is: "wrong", problems };
      const { examine } = await import("./engine/doctor/examine.ts");
      const named = new Set(names.map((name) => serviceNamed(workspace.services, name)));
      const services = names.length === 0 ? workspace.services : [...named];
      const { onActivity } = telling();
      const { sessions, close } = await open(services, "read", { signal, onActivity });
      const input = { kinds, declared: resources, sessions, env, now: clock.now() };
      const examined = unlessInterrupted(road, await examine(services, input).finally(close));
      // Every workspace begins without manifests, so their absence alone is not an error here.
      const errors = besidesNoManifests(problems, reading).length;
      return { is: "examined", services: examined, errors };
    },

    service: async (name) => serviceNamed(await services(), name),

    async call(service, operation, args, mode, { pageAll = false } = {}) {
      const { sessions, close } = await open([service], mode, {
        ...(mode === "write" ? { signal: atOnce, stopping: road.stopping } : { signal }),
        awaits: false,
        pageAll,
      });
      const settled = mode === "write" ? tellingInterrupt({ onProgress, signal }, () => 1) : () => {};
      return Promise.resolve(sessions.get(service.name)?.call(operation, args)).finally(() => {
        settled();
        return close();
      });
    },
  };
}
