import type { Interrupts } from "./options.ts";

/** Milliseconds in which the same signal counts once: a wrapper such as npm passes on what the terminal has sent to all. */
const echo = 200;

const listened = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Listens to Ctrl-C, SIGTERM and the end of the terminal until it is released. A third one ends the process as if nobody
 * listened.
 */
export function interrupts(): Interrupts & { release(): void } {
  const controllers = [new AbortController(), new AbortController()] as const;
  let last: { readonly name: NodeJS.Signals; readonly at: number } | undefined;
  const interrupt = (name: NodeJS.Signals) => {
    const at = performance.now();
    // A shell says too that the terminal is gone, however late: nobody is there to be impatient.
    if (last?.name === name && (name === "SIGHUP" || at - last.at < echo)) return;
    last = { name, at };
    const next = controllers.find(({ signal }) => !signal.aborted);
    next?.abort();
    if (next === controllers[1]) release();
  };
  const release = () => {
    for (const name of listened) process.removeListener(name, interrupt);
  };
  for (const name of listened) process.on(name, interrupt);
  return { stopping: controllers[0].signal, signal: controllers[1].signal, release };
}
