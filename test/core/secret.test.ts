import { inspect } from "node:util";
import { expect, test } from "vitest";
import { parseSecretReference, Secret, SecretReference } from "../../src/core/secret.ts";

test("a secret is printed, serialised and inspected as dots", () => {
  const secret = new Secret("hunter2");
  const shown = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true }),
    inspect(secret),
  ];
  for (const text of shown) {
    expect(text).toContain("•••");
    expect(text).not.toContain("hunter2");
  }
  expect(secret.reveal()).toBe("hunter2");
});

test("a reference is ${env:NAME} or ${file:path}, and nothing else is", () => {
  expect(parseSecretReference("${env:TOKEN}")).toEqual({ from: "env", name: "TOKEN" });
  expect(parseSecretReference("${file:/run/secrets/a b}")).toEqual({ from: "file", name: "/run/secrets/a b" });
  expect(SecretReference.parse("${env:TOKEN}")).toBe("${env:TOKEN}");
  for (const text of [
    "hunter2",
    "${exec:id}",
    "x${env:A}",
    "${env:A}x",
    "${env:}",
    "${var.a}",
    "${env:A",
    "${env:A}}",
  ]) {
    expect(parseSecretReference(text)).toBeUndefined();
    const said = "expected a reference to a secret: ${env:NAME} or ${file:path}";
    expect(SecretReference.safeParse(text).error?.issues).toMatchObject([{ message: said }]);
  }
});
