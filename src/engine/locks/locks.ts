import { hash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { Environment } from "../../clients/credentials/credentials.ts";
import { type Clock, systemClock } from "../../clients/http/clock.ts";
import { type Problem, ProblemError } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { type Alike, groupsBy } from "../../core/text/groups.ts";
import { momentText } from "../../core/text/moment.ts";
import { messageOf } from "../../core/text/reason.ts";
import { inOrder, withoutEnd } from "../../core/text/words.ts";
import { makeOwnFolder, replaceOwnFile, userFolder } from "../own-files.ts";
import { type Claim, type Holder, holderOf } from "./holder.ts";
import { type Busy, busyAt, releaseLock, takeLock } from "./lock-file.ts";

/** The last run that held the lock of each service, by the service's name; "" if there was none. */
export type LastRuns = ReadonlyMap<string, string>;

/** Locks of services: only one run at a time writes to each. @see docs/decisions/one-writer.md */
export interface Locks {
  /** Returns who wrote last, except for services that a run is writing to. A plan made before another run wrote may be out of date. */
  lastRuns(services: readonly Service[]): LastRuns;
  /**
   * Takes the locks of the services, always in the same order. Throws `ProblemError`: SP5005, or SP5006 for a lease, if another
   * run has one and does not release it in time; SP5003 after an interrupt; SP1017 if locks cannot be kept.
   */
  take(services: readonly Service[], claim: Claim, waiting: Waiting): Promise<TakenLocks>;
}

/** Options for waiting for a lock. */
export interface Waiting {
  /** Milliseconds to wait at most, for all locks together; 0 means not at all. */
  readonly wait: number;
  readonly clock: Pick<Clock, "now" | "wait">;
  readonly signal: AbortSignal;
  /** Called for each run that is waited for. */
  readonly onWaiting?: ((problem: Problem) => void) | undefined;
}

/** Locks that a run holds. */
export interface TakenLocks {
  /** Who wrote last before this run. */
  readonly before: LastRuns;
  /** Aborted if the locks were lost: nothing more may be sent. The reason is a `ProblemError`. */
  readonly lost?: AbortSignal;
  /** Returns what keeps other runs waiting nevertheless; undefined if nothing does. */
  release(): Promise<Problem | undefined>;
}

/** Milliseconds between two attempts to take a lock. */
const pause = 500;

/** Returns locks that are files of the user on this machine. `env` says where state is kept. */
export function diskLocks(env: Environment): Locks {
  const folder = lockFolder(env);
  const lastRuns = (services: readonly Service[]) =>
    new Map(services.map((service) => [service.name, textAt(join(folder, `${nameOf(service)}.last`))]));
  const lockOf = (name: string) => join(folder, `${name}.lock`);
  const isBusy = (service: Service) => busyAt(lockOf(nameOf(service))) !== undefined;
  return {
    lastRuns(services) {
      // Marks are read first: a run that has a lock meanwhile is either seen as busy or leaves another mark.
      const marks = lastRuns(services);
      for (const service of services) if (isBusy(service)) marks.delete(service.name);
      return marks;
    },
    async take(services, claim, waiting) {
      const holder = holderOf(claim);
      const deadline = waiting.clock.now() + waiting.wait;
      const byName = new Map(services.map((service) => [nameOf(service), service]));
      const wanted = [...byName].sort(([a], [b]) => inOrder(a, b));
      const taken: string[] = [];
      const release = async () => {
        for (const path of taken) releaseLock(path, holder);
        return undefined;
      };
      const others = () => {
        const held = wanted.flatMap(([name, service]): readonly Held[] => {
          const path = lockOf(name);
          const busy = taken.includes(path) ? undefined : busyAt(path);
          return busy === undefined ? [] : [{ ...busy, service }];
        });
        return groupsBy(held, ({ path, holder }) => holder?.id ?? path).map(busyProblem);
      };
      try {
        if (services.length > 0) makeOwnFolder(folder);
        for (const [name, service] of wanted) {
          const path = lockOf(name);
          await takeInTime(path, holder, service, { ...waiting, deadline }, others);
          taken.push(path);
        }
        const before = lastRuns(services);
        for (const [name] of wanted) replaceOwnFile(join(folder, `${name}.last`), `${holder.run} ${holder.id}\n`);
        return { before, release };
      } catch (error) {
        await release();
        throw error instanceof ProblemError ? error : unkept(folder, error);
      }
    },
  };
}

/** Milliseconds between two attempts to take the lock of a file, which is held for a moment, and how many are made. */
const turn = { pause: 20, tries: 500 } as const;

/**
 * Takes a step that reads a file and replaces it, while no other run of this user on this machine takes one with that file.
 * Rejects with the step's error, or with one that says why the file's lock cannot be taken.
 */
export async function alone(
  path: string,
  env: Environment,
  step: () => void | Promise<void>,
  { now, wait }: Pick<Clock, "now" | "wait"> = systemClock,
): Promise<void> {
  const folder = lockFolder(env);
  makeOwnFolder(folder);
  const place = join(realpathSync(dirname(path)), basename(path));
  const lock = join(folder, `file-${hash("sha256", place).slice(0, 24)}.lock`);
  const since = new Date(now()).toISOString();
  const holder = holderOf({ run: "", command: "apply", workspace: dirname(path), since });
  for (let tries = 0; takeLock(lock, holder) !== undefined; tries++) {
    if (tries === turn.tries)
      throw new Error(`another run is writing it, as ${lock} says; if none is, delete that lock`);
    await wait(turn.pause);
  }
  try {
    await step();
  } finally {
    releaseLock(lock, holder);
  }
}

function lockFolder(env: Environment): string {
  return join(userFolder(env, "XDG_STATE_HOME", ".local/state", homeOf(env)), "locks");
}

/**
 * Returns the user's home folder. An empty or relative `HOME` is ignored: it would be a different folder wherever a run is
 * started. A user without a name and without `HOME` gets `/`, as in most containers; `take` reports that it cannot be written to.
 */
function homeOf({ HOME = "" }: Environment): string {
  try {
    return [HOME, homedir()].find((home) => isAbsolute(home)) ?? userInfo().homedir;
  } catch {
    return "/";
  }
}

async function takeInTime(
  path: string,
  holder: Holder,
  service: Service,
  { deadline, clock, signal, onWaiting }: Waiting & { readonly deadline: number },
  others: () => readonly Problem[],
): Promise<void> {
  let known: string | undefined;
  for (let busy = takeLock(path, holder); busy !== undefined; busy = takeLock(path, holder)) {
    if (signal.aborted)
      throw new ProblemError({ code: "SP5003", message: "The run was interrupted while it waited for another one." });
    const held = { ...busy, service };
    const problem = busyProblem({ first: held, all: [held] });
    const left = deadline - clock.now();
    if (left <= 0) {
      const all = others();
      throw new ProblemError(...(all.length === 0 ? [problem] : all));
    }
    if (known !== busy.holder?.id) onWaiting?.(problem);
    known = busy.holder?.id;
    await clock.wait(Math.min(pause, left), signal).catch(() => {});
  }
}

/** A lock that another run has, and whose it is. */
type Held = Busy & { readonly service: Service };

function busyProblem({ first: { path, holder, service }, all }: Alike<Held>): Problem {
  if (holder === undefined)
    return {
      code: "SP5005",
      service: service.name,
      message: `The lock of ${service.url} belongs to another user, is damaged, or was written by a newer setpoint: ${path}.`,
      hint: "Check whether an apply is running. If none is, delete the file.",
    };
  const { user, host, pid, run, command, workspace, since } = holder;
  const isAlone = all.length === 1;
  const names = all.map((one) => one.service.name).sort(inOrder);
  return {
    code: "SP5005",
    ...(isAlone ? { service: service.name } : {}),
    message: `Another run is writing to ${isAlone ? service.url : names.join(", ")}: ${user} on ${host} since ${momentText(since)} (setpoint ${command} in ${workspace}, run ${run}, process ${pid}).`,
    hint: `Wait for it with --wait 10m. If that process has ended on another machine or in another container, delete ${all.map((one) => one.path).join(", ")}.`,
  };
}

/** Returns a name for the service that is written to, whatever the workspace calls it and wherever it is checked out. */
function nameOf({ role, url }: Service): string {
  const root = withoutEnd(new URL(url).href, "/");
  return `${role}-${hash("sha256", root).slice(0, 24)}`;
}

function unkept(folder: string, error: unknown): ProblemError {
  return new ProblemError({
    code: "SP1017",
    message: `Locks cannot be kept in ${folder}: ${messageOf(error)}.`,
    hint: "Nothing was sent. Make it a folder of your own with mode 0700, or set XDG_STATE_HOME to a file system with hard links.",
  });
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
