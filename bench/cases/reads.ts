import type { Case } from "../harness/case.ts";
import { latency, shortestTime, timeVerdicts, undiciAlone } from "../harness/references.ts";
import { concurrency, used, workspaceFor } from "../harness/workspace.ts";

/** A plan that waits for answers most of its time. */
export function reads(count: number, rounds: number): Case {
  const number = count.toLocaleString("en-US");
  return {
    name: `reads-${count}`,
    title: `Plan of ${number} resources, ${latency} ms an answer`,
    how: `\`plan\` of ${number} \`ActionsPermission\`, each of which is one request, ${concurrency} at once, against the shortest time that their answers can take, ${shortestTime(count) / 1000} s (${number} × ${latency} ms / ${concurrency}), and against the same requests sent by undici alone. Both without the start of a process: a plan of one resource, answered at once, is the start-up.`,
    async prepare(context) {
      const documents = context.isQuick ? count / 10 : count;
      const service = await context.fake("bench/fake/hosting.ts", "--latency", `${latency}`);
      const quick = await context.fake("bench/fake/hosting.ts");
      const all = workspaceFor(context, { url: service.url, documents });
      const one = workspaceFor(context, { url: quick.url, documents: 1 });
      const plan = async ({ cwd, env }: typeof all) => used(await context.setpoint(["plan"], { cwd, env }));
      return {
        is: "ready",
        rounds: context.isQuick ? 2 : rounds,
        sides: [
          { name: "setpoint plan", run: () => service.counted(() => plan(all)) },
          undiciAlone(context, service.url, documents),
          { name: "start-up", run: () => plan(one) },
        ],
        verdicts: (of) => [
          ...timeVerdicts(of, "setpoint plan", { requests: documents, most: 1.15 }),
          { what: "memory", value: of("setpoint plan", "memory"), unit: "bytes" },
        ],
      };
    },
  };
}
