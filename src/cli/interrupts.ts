import type { Interrupts } from "./options.ts";

/** Milliseconds in which the same signal counts once: a wrapper such as npm passes on what the terminal has sent to all. */
const echo = 200;

/** Listens to Ctrl-C and SIGTERM until it is released. A third one ends the process as if nobody listened. */
export function interrupts(): Interrupts & { release(): void } {
  const controllers = [new AbortController(), new AbortController()] as const;
  let last: { readonly name: NodeJS.Signals; readonly at: number } | undefined;
  const interrupt = (name: NodeJS.Signals) => {
    const at = performance.now();
    if (last?.name === name && at - last.at < echo) return;
    last = { name, at };
    const next = controllers.find(({ signal }) => !signal.aborted);
    next?.abort();
    if (next === controllers[1]) release();
  };
  const release = () => {
    process.removeListener("SIGINT", interrupt).removeListener("SIGTERM", interrupt);
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  return { stopping: controllers[0].signal, signal: controllers[1].signal, release };
}
