/** What a piece of work took, in milliseconds. */
export interface Took {
  readonly wall: number;
  readonly processor: number;
}

/** Does something `count` times, at most `concurrency` at once, and measures it; before that, `warmUp` times without measuring. */
export async function atOnce(
  count: number,
  concurrency: number,
  work: (index: number) => Promise<void>,
  warmUp = 0,
): Promise<Took> {
  const all = async (until: number) => {
    let next = 0;
    const one = async () => {
      while (next < until) await work(next++);
    };
    await Promise.all(Array.from({ length: concurrency }, one));
  };
  await all(warmUp);
  const used = process.cpuUsage();
  const start = performance.now();
  await all(count);
  const { user, system } = process.cpuUsage(used);
  return { wall: performance.now() - start, processor: (user + system) / 1000 };
}
