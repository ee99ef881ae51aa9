/** The number of tasks started together; more than the requests that can be under way concurrently. */
const together = 64;

/**
 * Starts all tasks in batches, each as soon as its requests could be sent soon. Starting ten thousand tasks at once would take
 * memory, and time before the first request is sent.
 */
export async function startEach<Task, Result>(
  tasks: readonly Task[],
  start: (task: Task) => Promise<Result>,
  room: () => Promise<void>,
): Promise<readonly Result[]> {
  const begun: Promise<readonly Result[]>[] = [];
  for (let first = 0; first < tasks.length; first += together) {
    if (first > 0) await room();
    const some = Promise.all(tasks.slice(first, first + together).map(start));
    // A rejection is thrown below, once the other tasks have started.
    some.catch(() => {});
    begun.push(some);
  }
  return (await Promise.all(begun)).flat();
}
