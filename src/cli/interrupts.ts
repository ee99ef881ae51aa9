import type { Interrupts } from "./options/options.ts";

/** Milliseconds in which a repeated signal counts once: a wrapper such as npm forwards a signal that the terminal sent to all. */
const echo = 200;

const listened = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Listens for Ctrl-C, SIGTERM and the closing of the terminal until it is released. After the second one it stops listening,
 * so a third one ends the process.
 */
export function interrupts(): Interrupts & { release(): void } {
  const controllers = [new AbortController(), new AbortController()] as const;
  let last: { readonly name: NodeJS.Signals; readonly at: number } | undefined;
  const interrupt = (name: NodeJS.Signals) => {
    const at = performance.now();
    // A shell also reports a closed terminal, at any later time. Nobody is left to press Ctrl-C twice, so it counts once.
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
