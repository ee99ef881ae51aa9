import { expect, test } from "vitest";
import { serveLoopback } from "../../clients/fixtures.ts";
import { document } from "../../support/manifest.ts";
import { openRoad } from "../../support/road.ts";

/** The road to a server that answers requests in turn, each with a list of records. */
async function roadWith(...lists: readonly (readonly object[])[]) {
  const left = [...lists];
  const url = await serveLoopback((request, response) => {
    const records = left.shift() ?? [];
    request.resume().on("end", () => response.end(records.map((record) => JSON.stringify(record)).join("\n")));
  });
  return openRoad(`version: 1\nservices:\n  analysis: { type: klocwork, url: "${url}", limits: { timeout: 2m } }\n`, {
    SETPOINT_ANALYSIS_URL: url,
    SETPOINT_ANALYSIS_USERNAME: "admin",
    SETPOINT_ANALYSIS_TOKEN: "t0ken",
  });
}

const role = document("AnalysisRole", { name: "Lead", createBuild: false });

test("a write fails if the resulting record cannot be understood", async () => {
  const { apply } = await roadWith([], [{ majorVersion: "24" }], [], [{ name: "Lead", create_build: "for some" }]);
  expect((await apply(role)).outcomes).toMatchObject([
    { result: "unknown", problem: { code: "SP3103", message: expect.stringContaining("createBuild") } },
  ]);
});

test("a field that a record omits is unknown, neither absent nor in sync", async () => {
  const { plan } = await roadWith([{ name: "Lead" }]);
  const { changes, inSync, unknown } = await plan(role);
  expect([changes, inSync]).toEqual([[], []]);
  expect(unknown).toMatchObject([
    { address: "analysis/AnalysisRole/Lead", problem: { code: "SP3103", operation: "roles" } },
  ]);
});
