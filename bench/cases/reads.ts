import type { Case } from "../harness/case.ts";
import { limitOf } from "../harness/references.ts";
import { minus, ratio } from "../harness/statistics.ts";
import { concurrency, used, workspaceFor } from "../harness/workspace.ts";

/** A plan that waits for answers most of its time. */
export function reads(count: number, rounds: number): Case {
  const number = count.toLocaleString("en-US");
  return {
    name: `reads-${count}`,
    title: `Plan of ${number} resources, 20 ms an answer`,
    how: `\`plan\` of ${number} \`ActionsPermission\`, each of which is one request, ${concurrency} at once, against the same requests sent by undici alone, without the start of either process. A plan of one resource, answered at once, is the start-up.`,
    async prepare(context) {
      const documents = context.isQuick ? count / 10 : count;
      const service = await context.fake("bench/fake/hosting.ts", "--latency", "20");
      const quick = await context.fake("bench/fake/hosting.ts");
      const all = workspaceFor(context, { url: service.url, documents });
      const one = workspaceFor(context, { url: quick.url, documents: 1 });
      const plan = async ({ cwd, env }: typeof all) => used(await context.setpoint(["plan"], { cwd, env }));
      return {
        is: "ready",
        rounds: context.isQuick ? 2 : rounds,
        sides: [
          { name: "setpoint plan", run: () => service.counted(() => plan(all)) },
          limitOf(context, service.url, documents),
          { name: "start-up", run: () => plan(one) },
        ],
        verdicts: (of) => [
          {
            what: "time less start-up, of the limit",
            value: ratio(minus(of("setpoint plan", "wall"), of("start-up", "wall")), of("undici alone", "wall")),
            unit: "times",
            target: { is: "at most", value: 1.15 },
          },
          { what: "memory", value: of("setpoint plan", "memory"), unit: "bytes" },
        ],
      };
    },
  };
}
