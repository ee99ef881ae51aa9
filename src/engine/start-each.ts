/** Tasks that are begun with one after the other; more than requests that may be under way at once. */
const together = 64;

/**
 * Begins with all, and with each as soon as its requests could be sent soon. Ten thousand that wait for their turn would take
 * room, and time before the first one is sent.
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
    // What it throws is thrown below, once the others have begun.
    some.catch(() => {});
    begun.push(some);
  }
  return (await Promise.all(begun)).flat();
}
