import { expect, test } from "vitest";
import { sidesTable, table } from "../../bench/harness/table.ts";
import { results } from "./results.ts";

test("the table is aligned, and shows what missed its target and what was not measured", () => {
  expect(table(results.cases)).toMatchInlineSnapshot(`
    "reads   time, of the limit  1.90 ×  at most 1.15 ×   missed
            memory              181 MB
    client  operations          0.61 ×  at least 0.60 ×

    Not measured:
      client  OpenTofu: there is no tofu
        on the PATH"
  `);
});

test("with --all the table shows the medians of every side", () => {
  expect(sidesTable(results.cases)).toMatchInlineSnapshot(`
    "reads          runs    time  processor time  memory  requests
    setpoint plan     3  2.60 s          1.31 s  181 MB     1,000
    undici alone      2  1.25 s

    client    runs     time
    setpoint     1  95.4 ms"
  `);
});
