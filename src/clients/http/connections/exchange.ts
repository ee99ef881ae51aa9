import { Readable } from "node:stream";
import { type Dispatcher, errors } from "undici";
import { type Answer, type Head, largestAnswer, tooLarge } from "../answer.ts";

/** Where the body of an answer goes: into memory as a whole, or to a function that reads it as it arrives. */
export type BodyGoal = "memory" | ((head: Head, body: Readable) => Promise<Answer>);

/** How far a request got. Until the first byte is sent, a connection is being made or waited for. */
export type Stage = "connecting" | "sent" | "answering";

/** A request that is under way. */
export interface Exchange {
  /** Rejects with the error of the connection, or with the reason given to `end`. */
  readonly answer: Promise<Answer>;
  readonly stage: () => Stage;
  /** Ends the request; if it has not started, before anything is sent. */
  end(reason: Error): void;
}

/**
 * Sends a request. The answer is collected as undici hands it out, because a stream for each answer would cost more than
 * the rest of a small request.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  goalOf: (head: Head) => BodyGoal,
): Exchange {
  const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>();
  let stage: Stage = "connecting";
  let reason: Error | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let collector: Collector | undefined;

  function end(why: Error): void {
    reason ??= why;
    if (controller === undefined) reject(reason);
    else controller.abort(reason);
  }

  dispatcher.dispatch(request, {
    onRequestStart(started) {
      controller = started;
      if (reason !== undefined) started.abort(reason);
      else stage = "sent";
    },
    onResponseStart(_controller, status, headers) {
      // A response that is not final, such as 103, is not the answer.
      if (status < 200) return;
      stage = "answering";
      const head = { status, headers };
      const goal = goalOf(head);
      collector = goal === "memory" ? inMemory(head, { resolve, end }) : asStream(head, goal);
    },
    onResponseData: (_controller, chunk) => collector?.take(chunk),
    onResponseEnd: () => collector?.end(),
    onResponseError(_controller, error) {
      if (collector?.fail === undefined) reject(reason ?? error);
      else collector.fail(reason ?? error);
    },
  });

  /** Streams the body, which is taken from the connection no faster than it is read. */
  function asStream(head: Head, read: Exclude<BodyGoal, "memory">): Collector {
    let isOver = false;
    const body = new Readable({
      read: () => controller?.resume(),
      destroy(error, done) {
        if (!isOver) end(error ?? new errors.RequestAbortedError());
        done(error);
      },
    });
    // The reader may not be listening yet.
    body.on("error", () => {});
    read(head, body).then(resolve, reject);
    return {
      take(chunk) {
        if (!body.push(chunk)) controller?.pause();
      },
      end() {
        isOver = true;
        body.push(null);
      },
      fail(error) {
        isOver = true;
        body.destroy(error);
      },
    };
  }

  return { answer, stage: () => stage, end };
}

/** Receives the parts of a body. Without `fail`, an error is that of the exchange. */
interface Collector {
  take(chunk: Buffer): void;
  end(): void;
  fail?(error: Error): void;
}

function inMemory(
  head: Head,
  { resolve, end }: { readonly resolve: (answer: Answer) => void; readonly end: (reason: Error) => void },
): Collector {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    take(chunk) {
      size += chunk.length;
      if (size > largestAnswer) end(tooLarge());
      else chunks.push(chunk);
    },
    end() {
      const [first, second] = chunks;
      const body = first !== undefined && second === undefined ? first : Buffer.concat(chunks);
      resolve({ ...head, body });
    },
  };
}
