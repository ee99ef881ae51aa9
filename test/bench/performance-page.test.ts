import { expect, test } from "vitest";
import { performanceDocs } from "../../scripts/generate/performance.ts";
import { results } from "./results.ts";

test("the page shows the machine, every measure with its target, the medians of every side, and what was not measured", () => {
  expect(performanceDocs(JSON.stringify(results)).text).toMatchInlineSnapshot(`
    "# Performance

    The results of the last saved run of the benchmark. \`npm run bench\` measures again, and \`npm run bench -- --save\` writes
    this page; [how it measures](../bench/README.md) says what it needs. Figures are medians of several runs, and the sides of a
    comparison take turns within one run. Times are those of a whole process, including its start, unless a case says otherwise.

    Measured on 2027-01-14: Example Processor 3000, 2 cores, 8 GiB, Linux 6.1, Node 24.1.0.

    | what | measure | measured | target |
    | --- | --- | ---: | --- |
    | Plan of 1,000 resources | time, of the limit | 1.90 × | at most 1.15 ×, missed |
    | | memory | 181 MB | |
    | The client alone | operations | 0.61 × | at least 0.60 × |

    ## Plan of 1,000 resources

    \`plan\` against undici alone.

    | | runs | time | processor time | memory | requests |
    | --- | ---: | ---: | ---: | ---: | ---: |
    | setpoint plan | 3 | 2.60 s | 1.31 s | 181 MB | 1,000 |
    | undici alone | 2 | 1.25 s | | | |

    ## The client alone

    The client against undici.

    | | runs | time |
    | --- | ---: | ---: |
    | setpoint | 1 | 95.4 ms |

    ## Not measured

    - The client alone, OpenTofu: there is no tofu on the PATH
    "
  `);
});

test("without a saved run the page says so", () => {
  const { path, text } = performanceDocs(undefined);
  expect(path).toBe("docs/performance.md");
  expect(text).toContain("No run was saved yet.");
});

test("results of another form are refused", () => {
  expect(() => performanceDocs(JSON.stringify({ ...results, machine: {} }))).toThrow(/processor/);
});
