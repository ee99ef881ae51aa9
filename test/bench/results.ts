import type { Results } from "../../bench/harness/results.ts";

/** The results of a run, as in `bench/results.json`. */
export const results: Results = {
  machine: {
    processor: "Example Processor 3000",
    cores: 2,
    memory: 8 * 2 ** 30,
    system: "Linux 6.1",
    node: "24.1.0",
    at: "2027-01-14",
  },
  cases: [
    {
      name: "reads",
      title: "Plan of 1,000 resources",
      how: "`plan` against undici alone.",
      verdicts: [
        { what: "time, of the limit", value: 1.9, unit: "times", target: { is: "at most", value: 1.15 } },
        { what: "memory", value: 181_300_000, unit: "bytes" },
      ],
      sides: [
        {
          name: "setpoint plan",
          samples: [
            { wall: 2600, processor: 1310, memory: 181_300_000, requests: 1000 },
            { wall: 2400, processor: 1300, memory: 181_200_000, requests: 1000 },
            { wall: 9000, processor: 1320, memory: 181_400_000, requests: 1000 },
          ],
        },
        { name: "undici alone", samples: [{ wall: 1250 }, { wall: 1254 }] },
      ],
      gaps: [],
    },
    {
      name: "client",
      title: "The client alone",
      how: "The client against undici.",
      verdicts: [{ what: "operations", value: 0.61, unit: "times", target: { is: "at least", value: 0.6 } }],
      sides: [
        { name: "setpoint", samples: [{ wall: 95.4 }] },
        { name: "OpenTofu", samples: [] },
      ],
      gaps: [{ what: "OpenTofu", why: "there is no tofu\n  on the PATH" }],
    },
  ],
};
