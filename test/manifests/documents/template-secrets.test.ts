import { expect, test } from "vitest";
import { loadFiles, loadManifest, mistakes, workspaceText } from "../support/workspace.ts";
import { specs } from "./template.ts";

test("a reference to a secret stays a reference in a field marked as secret", async () => {
  expect(await specs("kind: Account\nspec: { name: a, password: '${env:PASSWORD}' }\n")).toEqual([
    { name: "a", password: "${env:PASSWORD}" },
  ]);
  expect(
    await specs("kind: Account\nforEach: [{ p: '${file:x.txt}' }]\nspec: { name: a, password: '${each.p}' }\n"),
  ).toEqual([{ name: "a", password: "${file:x.txt}" }]);
});

test("a reference to a secret is not allowed anywhere else", async () => {
  const hint = "Only fields that a kind marks as secret may refer to one. Write $${ for a literal ${.";
  expect(await mistakes("kind: Account\nmetadata: { note: '${env:A}' }\nspec: { name: '${env:B}' }\n")).toEqual([
    `2:19+10 SP1015 A reference to a secret is not allowed here. | ${hint}`,
    `3:15+10 SP1015 A reference to a secret is not allowed here. | ${hint}`,
  ]);
  expect(await mistakes("kind: Account\nforEach: ['${env:A}']\nspec: { name: '${each}' }\n")).toEqual([
    `3:15+9 SP1015 A reference to a secret is not allowed here. | ${hint}`,
  ]);
});

test("a reference to a secret is found in each entry of a list, and in text that a variable brings", async () => {
  const source = { "setpoint.yaml": `${workspaceText}variables: { token: "\${env:TOKEN}" }\n` };
  const lock = (text: string) => `kind: Lock\nspec: { project: core, branch: main, text: ${text} }\n`;
  for (const text of ["[a, '${env:TOKEN}']", "'x ${var.token}'", "['${var.token}', a]"]) {
    const { problems } = await loadFiles({ ...source, "m/a.yaml": lock(text) });
    expect(problems.map(({ code }) => code)).toEqual(["SP1015"]);
  }
  expect(await mistakes("kind: Account\nspec: { name: a, '${env:TOKEN}': b }\n")).toEqual([
    expect.stringContaining("SP1015"),
  ]);
});

test("a reference to one of setpoint's own variables is refused before a call needs it", async () => {
  const user = (reference: string) => `kind: Account\nspec: { name: a, password: '\${env:${reference}}' }\n`;
  for (const own of ["SETPOINT_WIKI_TOKEN", "setpoint_wiki_token"])
    expect(await mistakes(user(own))).toEqual([
      expect.stringContaining("SP1015 No service receives setpoint's own variables."),
    ]);
  expect(await mistakes(user("MY_SETPOINT_TOKEN"))).toEqual([]);
});

test("a secret in plain text is refused and not shown", async () => {
  for (const password of ["hunter2", "'x${env:A}'", "'$${env:A}'", "12345"]) {
    const { problems } = await loadManifest(`kind: Account\nspec:\n  name: a\n  password: ${password}\n`);
    expect(problems.map(({ code }) => code)).toEqual(["SP1015"]);
    expect(problems[0]?.hint).toBe("Write nothing but a reference: ${env:NAME} or ${file:path}.");
    expect(problems[0]?.place).toMatchObject({ line: 4, column: 13 });
    expect(JSON.stringify(problems)).not.toMatch(/hunter2|12345/);
  }
});
