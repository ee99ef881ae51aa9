import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { editorKeywords } from "../../scripts/generate/editor-words.ts";
import { manifestSchema } from "../../scripts/generate/schemas.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { resultJson } from "../../src/reports/formats/json.ts";
import { fullPlan } from "../reports/fixture.ts";
import { fullReport } from "../reports/report-fixture.ts";
import { rule, sign } from "./fake-kinds.ts";

const root = join(import.meta.dirname, "../..");
const ajv = new Ajv({ strict: true, allowUnionTypes: true, keywords: [...editorKeywords] });
const isManifest = ajv.compile(manifestSchema([rule, sign]));

function readSchema(name: string) {
  return ajv.compile(JSON.parse(readFileSync(join(root, `schema/${name}.schema.json`), "utf8")));
}

describe("the manifest schema", () => {
  test("has exactly one branch per kind, and one snippet per kind for a document without a kind", () => {
    expect(manifestSchema([rule, sign]).allOf).toMatchInlineSnapshot(`
      [
        {
          "if": {
            "properties": {
              "kind": {
                "const": "Rule",
              },
            },
            "required": [
              "kind",
            ],
          },
          "then": {
            "properties": {
              "spec": {
                "$ref": "#/definitions/Rule",
              },
            },
          },
        },
        {
          "if": {
            "properties": {
              "kind": {
                "const": "Sign",
              },
            },
            "required": [
              "kind",
            ],
          },
          "then": {
            "properties": {
              "spec": {
                "$ref": "#/definitions/Sign",
              },
            },
          },
        },
        {
          "if": {
            "not": {
              "required": [
                "kind",
              ],
            },
          },
          "then": {
            "defaultSnippets": [
              {
                "body": {
                  "kind": "Rule",
                  "spec": {
                    "text": "$1",
                  },
                },
                "description": "A rule.",
                "label": "Rule",
              },
              {
                "body": {
                  "kind": "Sign",
                  "spec": {
                    "name": "$1",
                  },
                },
                "description": "A sign | with a pipe.",
                "label": "Sign",
              },
            ],
          },
        },
      ]
    `);
  });

  test.each([
    { kind: "Rule", spec: { text: "Stop." } },
    { kind: "Sign", spec: { name: "Exit", color: "green", height: 2, lit: true, parts: [{ material: "wood" }] } },
    { kind: "Sign", metadata: { state: "absent", ignore: ["color"] }, spec: { name: "Exit" } },
    { kind: "Sign", forEach: { name: ["a", "b"] }, spec: { name: "${each.name}", place: { street: "Main" } } },
  ])("accepts $kind $spec", (manifest) => {
    expect(isManifest(manifest), JSON.stringify(isManifest.errors)).toBe(true);
  });

  test.each([
    { kind: "Sign", spec: { name: "${var.name}", color: "${var.color}", height: "${var.height}", lit: "${each.lit}" } },
    { kind: "Sign", metadata: { protect: "${var.protect}", state: "${var.state}" }, spec: { name: "Exit" } },
    { kind: "Sign", spec: { name: "Exit", parts: "${var.parts}", labels: "${var.labels}" } },
    { kind: "Sign", spec: { name: "Exit", parts: [{ material: "${var.wood}y" }], password: "${var.secret}" } },
  ])("accepts placeholders where it expects something else: $spec", (manifest) => {
    expect(isManifest(manifest), JSON.stringify(isManifest.errors)).toBe(true);
  });

  test.each([
    { why: "an unknown kind", manifest: { kind: "Signal", spec: {} } },
    { why: "no kind", manifest: { spec: { name: "Exit" } } },
    { why: "a field of another kind", manifest: { kind: "Rule", spec: { text: "Stop.", name: "Exit" } } },
    { why: "a missing field", manifest: { kind: "Sign", spec: { color: "red" } } },
    { why: "text for a number", manifest: { kind: "Sign", spec: { name: "Exit", height: "2" } } },
    {
      why: "text around a placeholder for a number",
      manifest: { kind: "Sign", spec: { name: "E", height: "${var.h} m" } },
    },
    { why: "a value that is not listed", manifest: { kind: "Sign", spec: { name: "Exit", color: "blue" } } },
    { why: "a secret's text", manifest: { kind: "Sign", spec: { name: "Exit", password: "1234" } } },
    {
      why: "an unknown member beside the specification",
      manifest: { kind: "Rule", spec: { text: "Stop." }, meta: {} },
    },
  ])("refuses $why", ({ manifest }) => {
    expect(isManifest(manifest)).toBe(false);
  });
});

test("the examples of the kinds are valid by the committed schema", () => {
  const validate = readSchema("manifest");
  const documents = [...kinds.keys()].flatMap((kind) =>
    [parseAllDocuments(readFileSync(join(root, `examples/kinds/${kind}.yaml`), "utf8"))].flat(),
  );
  expect(documents.length).toBeGreaterThanOrEqual(kinds.size);
  for (const document of documents) expect(validate(document.toJS()), JSON.stringify(validate.errors)).toBe(true);
});

test("the committed workspace schema accepts placeholders in the services and triggers of a workspace", () => {
  const validate = readSchema("workspace");
  const services = {
    wiki: { type: "confluence", url: "http://127.0.0.1:${var.port}", limits: { concurrency: "${var.c}" } },
  };
  const onApplied = [{ service: "ci", job: { name: "applied", parameters: { RUN: "${run.id}" } } }];
  expect(validate({ version: 1, services, onApplied }), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ version: 1, services: { wiki: { type: "notes", url: "http://127.0.0.1" } } })).toBe(false);
  expect(validate({ version: 2, services })).toBe(false);
});

test("the program's output is valid by the committed schemas", () => {
  const [isPlan, isReport] = [readSchema("plan"), readSchema("report")];
  expect(isPlan(JSON.parse(JSON.stringify(resultJson({ plan: fullPlan })))), JSON.stringify(isPlan.errors)).toBe(true);
  expect(
    isReport(JSON.parse(JSON.stringify(resultJson({ plan: fullPlan, report: fullReport })))),
    JSON.stringify(isReport.errors),
  ).toBe(true);
  expect(isPlan({ ...fullPlan, version: 2 })).toBe(false);
});
