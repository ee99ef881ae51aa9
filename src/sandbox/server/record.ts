import { appendFileSync } from "node:fs";
import type { Effect } from "../../core/operation.ts";
import type { SandboxRole } from "../world.ts";

/**
 * One request as it was received. `path` is raw and has the query arguments that the operation knows. Headers, bodies
 * and other arguments could contain a secret and are not kept. A request that no row answers has no operation.
 */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly service?: SandboxRole;
  readonly operation?: string;
  readonly effect?: Effect;
  readonly status: number;
}

/** The requests of one sandbox, in the order of their answers; also written to `log`, one JSON line per request. */
export class Recorder {
  #requests: RecordedRequest[] = [];
  readonly #log: string | undefined;
  constructor(log: string | undefined) {
    this.#log = log;
    // An unwritable log is an error of whoever starts the sandbox: it must fail here, not on every request.
    if (log !== undefined) appendFileSync(log, "");
  }
  add(request: RecordedRequest): void {
    this.#requests.push(request);
    if (this.#log !== undefined) appendFileSync(this.#log, `${JSON.stringify(request)}\n`);
  }
  list(): readonly RecordedRequest[] {
    return [...this.#requests];
  }
  clear(): void {
    this.#requests = [];
  }
}
