import { expect, test } from "vitest";
import { line, loadFiles } from "../support/workspace.ts";

async function workspace(entry: string, variables: Readonly<Record<string, string>> = {}) {
  const text = `version: 1
manifests: ["m/*.yaml"]
services:
  review: { type: gerrit, url: "https://review.example.com" }
  ci: { type: jenkins, url: "https://ci.example.com" }
  gh: { type: github, url: "https://api.github.com" }
onApplied:
  - ${entry}
`;
  return loadFiles({ "setpoint.yaml": text, "m/a.yaml": "" }, { variables });
}

test("an entry is a call to its service, with variables filled in and facts of the run left for later", async () => {
  const entry = `{ service: ci, job: { name: "\${var.job}", parameters: { RUN: "no. \${run.id}" } } }`;
  const { workspace: opened, problems } = await workspace(entry, { job: "applied" });
  expect(problems.map(line)).toEqual([]);
  expect(opened?.onApplied).toMatchObject([
    {
      service: "ci",
      operation: "buildJobWithParameters",
      args: { job: "applied", parameters: { RUN: "no. ${run.id}" } },
      place: { file: "setpoint.yaml", line: 8 },
    },
  ]);
  const plain = await workspace("{ service: ci, job: { name: applied } }");
  expect(plain.workspace?.onApplied).toMatchObject([{ operation: "buildJob", args: { job: "applied" } }]);
});

const many = Array.from({ length: 26 }, (_, index) => `i${index}: ""`).join();

test.each([
  ["{ service: cii, job: { name: a } }", '8:16+3 SP1009 There is no service "cii". Did you mean "ci"?'],
  ["{ service: review, job: { name: a } }", "8:24+3 SP1002 review (gerrit) has no job. | It can start nothing."],
  [
    "{ service: ci, workflow: { owner: a, repo: b, file: c, ref: d } }",
    "8:20+8 SP1002 ci (jenkins) has no workflow. | It can start a job.",
  ],
  ["{ service: ci }", "8:5+15 SP1002 A mapping: expected one of job, workflow."],
  ["{ service: ci, job: { nam: a } }", '8:27+3 SP1004 onApplied[0].job has no field "nam". Did you mean "name"?'],
  [
    `{ service: gh, workflow: { owner: a, repo: b, file: c, ref: d, inputs: { ${many} } } }`,
    "8:76+85 SP1002 A mapping: expected at most 25 inputs.",
  ],
  [
    '{ service: ci, job: { name: a, parameters: { RUN: "${run.it}" } } }',
    '8:56+9 SP1007 "${run.it}" has no value. Did you mean "${run.id}"? | Facts about a run: ${run.id}, ${run.base}, ${run.changes}, ${run.services}.',
  ],
  [
    '{ service: ci, job: { name: a, parameters: { RUN: "${env:TOKEN}" } } }',
    "8:55+14 SP1015 A reference to a secret is not allowed here. | Only fields that a kind marks as secret may refer to one. Write $${ for a literal ${.",
  ],
])("%s is explained", async (entry, expected) => {
  expect((await workspace(entry)).problems.map(line)).toEqual([expected]);
});
