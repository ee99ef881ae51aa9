import { replace } from "../lists.ts";
import type { CiBuild, CiJob, CiState } from "./state.ts";

/** Whether a build of any job is running. */
export function isBusy({ jobs }: CiState): boolean {
  return Object.values(jobs).some(({ builds }) => builds.some(({ result }) => result === null));
}

/** Returns the server after a restart: running builds are aborted, sessions and the properties that were set are gone. */
export function restarted(ci: CiState, now: number): CiState {
  return {
    ...ci,
    starts: ci.starts + 1,
    starting: ci.startupRequests,
    restartPending: false,
    setProperties: {},
    plugins: ci.plugins
      .filter(({ deleted }) => !deleted)
      .map(({ upgrade, ...plugin }) => ({ ...plugin, version: upgrade ?? plugin.version })),
    jobs: Object.fromEntries(
      Object.entries(ci.jobs).map(([name, job]) => [
        name,
        { ...job, builds: job.builds.map((build) => aborted(build, now)) },
      ]),
    ),
  };
}

/** Returns a job with one of its builds aborted. */
export function withAborted(job: CiJob, build: CiBuild, now: number): CiJob {
  return { ...job, builds: replace(job.builds, build, aborted(build, now)) };
}

function aborted(build: CiBuild, now: number): CiBuild {
  return build.result === null ? { ...build, result: "ABORTED", duration: now - build.timestamp } : build;
}
