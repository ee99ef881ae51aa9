import { Dispatcher } from "undici";
import type { Content, Reply } from "../../src/sandbox/exchange.ts";
import { type Received, type Responded, readContent } from "../../src/sandbox/server/respond.ts";
import { bodyOf, controllerOf, fieldsOf, tell } from "../support/dispatching.ts";
import type { Chance } from "./chance.ts";
import { type RequestFault, requestFaults, type Weather } from "./faults.ts";
import type { Life } from "./life.ts";
import type { Time } from "./time.ts";
import { type Act, arrive, type CallUnderWay, disturb, staleAnswer, type Universe } from "./universe.ts";

/** The parts of a network. */
export interface NetworkParts {
  readonly universe: Universe;
  readonly life: Life;
  readonly time: Time;
  readonly chance: Chance;
  readonly weather: Weather;
  readonly origin: string;
  readonly acts: readonly Act[];
  /** Returns the call of the plan that is sending the current request. */
  readonly callNow: () => CallUnderWay | undefined;
  /** Changes answers on their way; by default they are not changed. */
  readonly garble?: (reply: Reply) => Reply;
}

/** A request on its way. */
interface Letter {
  readonly handler: Dispatcher.DispatchHandler;
  readonly controller: Dispatcher.DispatchController;
  readonly fault: RequestFault | undefined;
  readonly call: CallUnderWay | undefined;
  readonly asked: Omit<Received, "content" | "now">;
}

/** Carries the requests of one program to the services of a universe, with the faults that the weather prescribes. */
export class Network extends Dispatcher {
  readonly #parts: NetworkParts;

  constructor(parts: NetworkParts) {
    super();
    this.#parts = parts;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { universe, life, time, chance, weather, origin, callNow } = this.#parts;
    const { method, path, body } = options;
    if (!life.step(`before ${method} ${path}`)) return true;
    const fault = chance.hit(weather.share) && weather.requests.length > 0 ? chance.pick(weather.requests) : undefined;
    const latency = 1 + chance.below(50) + (fault === "slow" ? chance.below(200_000) : 0);
    const controller = controllerOf((reason) => handler.onResponseError?.(controller, reason));
    const asked = { method, url: path, headers: fieldsOf(options.headers), origin };
    const letter = { handler, controller, fault, call: callNow(), asked };
    time.after(latency, () => {
      if (fault === "refused") {
        universe.faults.push(fault);
        this.#tell(letter, () => handler.onResponseError?.(controller, broken("ECONNREFUSED")));
        return;
      }
      this.#tell(letter, () => handler.onRequestStart?.(controller, {}));
      // The request of a killed program may or may not have been sent.
      if (controller.aborted || (life.isOver() && chance.hit(0.5))) return;
      readContent(bodyOf(body)).then(
        (content) => this.#deliver(letter, content),
        (error: Error) => this.#tell(letter, () => handler.onResponseError?.(controller, error)),
      );
    });
    return true;
  }

  #deliver(letter: Letter, content: Content): void {
    const { universe, life, time, chance, acts } = this.#parts;
    const { fault, call, asked } = letter;
    const received = { ...asked, content, now: time.now() };
    if (fault === "stranger" && acts.length > 0) disturb(universe, chance.pick(acts));
    const isBefore = fault !== undefined && beforeFaults.has(fault);
    const stale = fault === "stale" ? staleAnswer(universe, received) : undefined;
    const take = (isCopy: boolean) => arrive(universe, received, { run: life.name, call, isCopy });
    const first = isBefore ? undefined : (stale ?? take(false));
    const second = fault?.startsWith("twice") ? take(true) : undefined;
    const responded = fault === "twice, second answer" ? (second ?? first) : first;
    this.#note(letter, responded);
    // A kill right after a request took effect.
    if (responded?.record.effect === "write" && !life.step(`after ${asked.method} ${asked.url}`)) return;
    time.after(1 + chance.below(20), () => this.#tell(letter, () => answer(letter, this.#garbled(responded))));
  }

  #garbled(responded: Responded | undefined): Responded | undefined {
    const { garble } = this.#parts;
    return responded === undefined || garble === undefined
      ? responded
      : { ...responded, reply: garble(responded.reply) };
  }

  /** Tells the program something if it is still alive and waiting. */
  #tell({ controller }: Letter, what: () => void): void {
    if (!this.#parts.life.isOver() && !controller.aborted) what();
  }

  #note({ asked: { method, url }, fault, call }: Letter, responded: Responded | undefined): void {
    const { universe, life, time } = this.#parts;
    const status = responded === undefined ? "lost" : responded.record.status;
    const name = responded?.record.operation ?? "";
    if (fault !== undefined) universe.faults.push(fault);
    const why = fault === undefined ? "" : ` [${fault}]`;
    universe.trace.push(
      `${time.now()} ${life.name} ${method} ${url} ${name} ${status}${why}${call === undefined ? "" : " !"}`,
    );
  }
}

/** Faults that keep a request from ever taking effect. */
const beforeFaults: ReadonlySet<RequestFault> = new Set(
  requestFaults.filter((fault) => fault.endsWith("before") || /^(429|503)/.test(fault)),
);

/** What the program receives instead of the answer, for each fault. */
const inPlace: Partial<Readonly<Record<RequestFault, Reply | "nothing" | "reset">>> = {
  "reset before": "reset",
  "reset after": "reset",
  "silent before": "nothing",
  "silent after": "nothing",
  "429": refusal(429),
  "429, later": refusal(429, { "retry-after": "7" }),
  "503": refusal(503),
  "503, later": refusal(503, { "retry-after": "7" }),
  "502 after": refusal(502),
};

function refusal(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { "content-type": "text/plain", ...headers }, body: "The gateway has its own words\n" };
}

/** Tells the program the result of its request. */
function answer({ handler, controller, fault }: Letter, responded: Responded | undefined): void {
  const given = (fault === undefined ? undefined : inPlace[fault]) ?? responded?.reply ?? "nothing";
  if (given === "nothing") return;
  if (given === "reset") handler.onResponseError?.(controller, broken("ECONNRESET"));
  else tell({ handler, controller }, given, fault === "cut" ? broken("UND_ERR_SOCKET") : undefined);
}

function broken(code: string): Error {
  return Object.assign(new Error(code), { code });
}
