import { expect, test } from "vitest";
import { openDesk } from "../support/commands.ts";

const manifests = `kind: AnalysisGroup
spec: { name: newcomers, users: [kai] }
---
kind: AnalysisUser
metadata: { state: absent }
spec: { name: kai }
---
kind: ActionsPermission
forEach:
  from: { operation: listOrganizationRepositories, org: meridian-kites, match: "firmware-*" }
spec: { org: meridian-kites, repo: "\${each.name}", enabled: true }
`;

test("graph draws what is declared, names what it leaves out and calls no service", async () => {
  await using desk = await openDesk(manifests);
  expect(await desk.run(["graph"])).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "",
      "out": "flowchart LR
      %% Left out: documents in 1 file that repeat over lists of services, which only a plan reads.
      subgraph s0["analysis"]
        n0["AnalysisGroup newcomers"]
        n1["AnalysisUser kai"]:::absent
      end
      n0 --> n1
      classDef absent stroke-dasharray: 6 3
    ",
    }
  `);
  const { code, out } = await desk.run(["graph", "--format", "dot", "--kind", "AnalysisUser"]);
  expect({ code, out }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "out": "digraph setpoint {
      // Left out: documents in 1 file that repeat over lists of services, which only a plan reads.
      rankdir=LR;
      node [shape=box];
      subgraph "cluster_analysis" {
        label="analysis";
        "analysis/AnalysisUser/kai" [label="AnalysisUser kai", style=dashed];
      }
    }
    ",
    }
  `);
  expect(desk.sandbox.requests()).toEqual([]);
  expect(JSON.parse((await desk.run(["graph", "--json"])).out)).toMatchObject({ version: 1, unexpanded: 1 });
  expect(await desk.run(["graph", "--kind", "WikiPage"])).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^SP1018 [\s\S]*Nothing was drawn\.\n$/),
  });
  await desk.write("manifests/wrong.yaml", "kind: AnalysisUser\nspec: { nane: kai }\n");
  expect(await desk.run(["graph"])).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^manifests\/wrong\.yaml:[\s\S]*Nothing was drawn\.\n$/),
  });
});
