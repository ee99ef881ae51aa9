import { expect } from "vitest";
import { line, loadFiles } from "../support/workspace.ts";

/** The specifications that a document of accounts expands to. */
export async function specs(
  text: string,
  variables: Readonly<Record<string, string>> = {},
  files: Record<string, string> = {},
) {
  const { resources, problems } = await loadFiles(
    { "m/a.yaml": text, ...files },
    { variables, values: Object.keys(files) },
  );
  expect(problems.map(line)).toEqual([]);
  return resources.map(({ spec }) => spec);
}
