import { AsyncLocalStorage } from "node:async_hooks";
import { services as clients } from "../../src/clients/services.ts";
import { ProblemError } from "../../src/core/problem.ts";
import type { Report } from "../../src/core/run/outcome.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { canonicalJson, type JsonObject } from "../../src/core/text/json.ts";
import { openSessions, type Session } from "../../src/engine/sessions.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { type OpenWorkspace, openWorkspace } from "../../src/setpoint.ts";
import { inMemory } from "../support/in-memory.ts";
import { inFlow } from "../support/manifest.ts";
import { noLocks } from "../support/no-locks.ts";
import { rootsOf } from "../support/roles.ts";
import type { Chance } from "./chance.ts";
import type { Weather } from "./faults.ts";
import { type Life, lifeOf } from "./life.ts";
import { heldBy, type Machine, runsOf, sinksOf } from "./machine.ts";
import { Network, type NetworkParts } from "./network.ts";
import type { Time } from "./time.ts";
import type { Act, CallUnderWay, Universe } from "./universe.ts";

const origin = "http://sandbox.example";

/** The text of manifests, now and at the last complete apply. */
export interface Texts {
  readonly now: string;
  readonly base: string;
  /** Files that manifests name, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** What all runs of a simulation share. */
export interface Stage {
  readonly universe: Universe;
  readonly time: Time;
  readonly chance: Chance;
  readonly machine: Machine;
  readonly acts: readonly Act[];
  /** See `NetworkParts`. */
  readonly garble?: NetworkParts["garble"];
}

/** How a run ended. */
export type Ending =
  | { readonly is: "reported"; readonly plan: Plan; readonly report: Report }
  | { readonly is: "refused"; readonly error: unknown }
  | { readonly is: "killed" };

const calls = new AsyncLocalStorage<CallUnderWay>();

/** Returns the name of a call in a trace, the same for every run. */
export function callName(service: string, operation: string, args: JsonObject): string {
  return `${service} ${operation} ${canonicalJson(args)}`;
}

/** Plans and applies once in the given weather. */
export async function runProgram(stage: Stage, texts: Texts, weather: Weather, name: string): Promise<Ending> {
  const { universe, time } = stage;
  const is = weather.run.includes("kill") ? "killed" : weather.run.includes("interrupt") ? "interrupted" : "left alone";
  const life = lifeOf(name, { is, at: weather.step }, (line) => universe.trace.push(`${time.now()} ${line}`));
  universe.faults.push(...weather.run);
  const ending = planAndApply(openProgram(stage, texts, weather, life)).catch(
    (error: unknown): Ending => ({ is: "refused", error }),
  );
  const killed = life.killed.then((): Ending => ({ is: "killed" }));
  // A run that waits for something that never comes counts as ended, with that error.
  return time.until(Promise.race([ending, killed])).catch((error: unknown): Ending => ({ is: "refused", error }));
}

async function planAndApply(workspace: OpenWorkspace): Promise<Ending> {
  const planned = await workspace.plan({ base: "base" });
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  return { is: "reported", plan: planned.plan, report: await workspace.apply(planned, { allowExec: true }) };
}

/** Opens the program's composition with everything around it simulated. */
function openProgram(stage: Stage, texts: Texts, weather: Weather, life: Life): OpenWorkspace {
  const { universe, time, machine, acts, garble } = stage;
  const chance = stage.chance.fork();
  const filesOf = (text: string) =>
    inMemory({ "setpoint.yaml": workspaceFile, "manifests/all.yaml": text, ...texts.files });
  const clock = time.clock(chance.fork(), life.isOver);
  const callNow = () => calls.getStore();
  const dispatcher = new Network({
    universe,
    life,
    time,
    chance,
    weather,
    origin,
    acts,
    callNow,
    ...(garble && { garble }),
  });
  return openWorkspace({
    files: filesOf(texts.now),
    filesAt: async () => filesOf(texts.base),
    env: environment,
    clock,
    signal: life.signal,
    runs: runsOf(machine, life, weather.run.includes("full disk") ? weather.step : undefined),
    // The laws must hold even if two runs meet.
    locks: noLocks,
    sinks: () => sinksOf(machine, life, weather.run.includes("sink fails")),
    async openSessions(services, mode, settings) {
      const opened = await openSessions(services, mode, { ...settings, dispatcher, held: heldBy(machine) });
      if (mode === "read") return opened;
      return { ...opened, sessions: new Map([...opened.sessions].map(([of, one]) => [of, withCalls(of, one)])) };
    },
  });
}

/** Returns a session whose requests know the call that they belong to. */
function withCalls(service: string, session: Session): Session {
  let number = 0;
  return {
    reader: () => session.reader(),
    ...(session.signIn === undefined ? {} : { signIn: session.signIn }),
    call(operation, args) {
      number += 1;
      return calls.run({ name: callName(service, operation, args), number }, () => session.call(operation, args));
    },
    get requests() {
      return session.requests;
    },
  };
}

const environment = {
  ...environmentFor(origin),
  ANALYSIS_OLD_PASSWORD: "old-secret",
  MGARCIA_INITIAL_PASSWORD: "initial-secret",
};

export const workspaceFile = `version: 1
guards: { maxDeletePercent: 100 }
services:
${Object.values(clients)
  .map(({ types: [type], role }) => {
    const urls = rootsOf(role, origin);
    return `  ${role}: ${inFlow({ type, url: `${origin}/${role}`, urls, limits: { timeout: "30s" } })}`;
  })
  .join("\n")}
onApplied:
  - { service: ci, job: { name: firmware/release } }
`;
