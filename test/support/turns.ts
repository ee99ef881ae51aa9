/**
 * Lets actors take turns: whenever all unfinished actors wait, the next choice decides which of them goes on. An actor
 * can wait for several things concurrently, which then go on one after the other.
 */
export function turns(actors: number, choices: readonly number[]) {
  const waiting = new Map<number, (() => void)[]>();
  let left = actors;
  let taken = 0;
  function next() {
    while (waiting.size >= left && waiting.size > 0) {
      const names = [...waiting.keys()].sort();
      const name = names[(choices[taken++] ?? 0) % names.length] ?? 0;
      const [go, ...later] = waiting.get(name) ?? [];
      if (later.length === 0) waiting.delete(name);
      else waiting.set(name, later);
      go?.();
    }
  }
  return {
    wait: (actor: number) =>
      new Promise<void>((resolve) => {
        waiting.set(actor, [...(waiting.get(actor) ?? []), resolve]);
        next();
      }),
    finish() {
      left--;
      next();
    },
  };
}
