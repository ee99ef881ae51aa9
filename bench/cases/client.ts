import type { Case } from "../harness/case.ts";
import { workOf } from "../harness/references.ts";
import { ratio } from "../harness/statistics.ts";
import { concurrency } from "../harness/workspace.ts";

/** What the client adds to a request. */
export const client: Case = {
  name: "client",
  title: "The client alone, answers at once",
  how: `The package's client reads the workflow permissions of 10,000 repositories, ${concurrency} at once, and checks every answer, against \`undici.request\` and \`JSON.parse\`. Both are measured inside the process, after a tenth as many requests.`,
  async prepare(context) {
    const requests = context.isQuick ? 2000 : 10_000;
    const service = await context.fake("bench/fake/instant.ts");
    const side = (name: string, program: string) => ({
      name,
      run: async () => {
        const took = await workOf(context, program, service.url, requests, concurrency, requests / 10);
        return { ...took, perSecond: (1000 * requests) / (took.wall ?? 0) };
      },
    });
    return {
      is: "ready",
      rounds: context.isQuick ? 3 : 5,
      sides: [side("setpoint's client", "client.ts"), side("undici alone", "undici.ts")],
      verdicts: (of) => [
        {
          what: "operations a second, of undici's",
          value: ratio(of("setpoint's client", "perSecond"), of("undici alone", "perSecond")),
          unit: "times",
          target: { is: "at least", value: 0.6 },
        },
        {
          what: "processor time, of undici's",
          value: ratio(of("setpoint's client", "processor"), of("undici alone", "processor")),
          unit: "times",
        },
      ],
    };
  },
};
