/** The life of one run of the program: its steps in the world until its end or a kill. */
export interface Life {
  readonly name: string;
  isOver(): boolean;
  /** Counts a step, and returns whether the run is still alive after it. */
  step(what: string): boolean;
  /** Resolves when the run is killed. */
  readonly killed: Promise<"killed">;
  /** Aborts when the run is interrupted. */
  readonly signal: AbortSignal;
}

/** Whether and how a life ends early, and at which step. */
export interface Fate {
  readonly is: "killed" | "interrupted" | "left alone";
  readonly at: number;
}

export function lifeOf(name: string, fate: Fate, note: (line: string) => void): Life {
  let steps = 0;
  let isOver = false;
  const interrupt = new AbortController();
  const { promise: killed, resolve } = Promise.withResolvers<"killed">();
  return {
    name,
    killed,
    signal: interrupt.signal,
    isOver: () => isOver,
    step(what) {
      if (isOver) return false;
      if (fate.is !== "left alone" && steps === fate.at) {
        note(`${name} ${fate.is} ${what}`);
        if (fate.is === "interrupted") interrupt.abort();
        else {
          isOver = true;
          resolve("killed");
        }
      }
      steps += 1;
      return !isOver;
    },
  };
}
