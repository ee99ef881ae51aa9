import { describe, expect, test } from "vitest";
import { execProblem, SecretDelivery, Sink } from "../../src/core/sink.ts";

function mistakesOf(sink: unknown): readonly string[] {
  const { error } = Sink.safeParse(sink);
  const [issue] = error?.issues ?? [];
  return issue?.code === "invalid_union"
    ? issue.errors.flatMap((branch) => branch.map(({ message }) => message))
    : (error?.issues ?? []).map(({ message }) => message);
}

describe("a sink", () => {
  test.each([
    { file: "secrets/deploy" },
    { file: "a" },
    { file: "a.git/x.setpoint" },
    { file: "...a/.env" },
    { dotenv: ".env", name: "_TOKEN_2" },
    { dotenv: ".env", name: "t" },
    { command: ["vault", "write"], check: ["vault"] },
  ])("can be %j", (sink) => {
    expect(Sink.parse(sink)).toEqual(sink);
  });

  test.each([
    "",
    "/etc/passwd",
    "~/token",
    "C:/token",
    "c:token",
    "a\\b",
    "a\0b",
    "..",
    "../a",
    "a/../b",
    "a/..",
    ".",
    "./a",
    "a/./b",
    "a//b",
    "a/",
    ".git",
    ".git/hooks/x",
    "a/.GIT/x",
    "a/.git",
    ".setpoint/journal",
    ".SetPoint",
  ])("cannot be the file %j: it must be below the workspace's folder and not belong to git or setpoint", (file) => {
    expect(mistakesOf({ file })).toContain(
      "expected a file below the folder of the workspace file, with / between names",
    );
    expect(Sink.safeParse({ dotenv: file, name: "T" }).success).toBe(false);
  });

  test.each(["", "2A", "A-B", "A B", "A\n", "Ä"])("cannot have the variable %j", (name) => {
    expect(mistakesOf({ dotenv: ".env", name })).toContain("expected a name of letters, digits and _");
  });

  test.each([
    {},
    { file: "a", name: "A" },
    { file: "a", mode: "0644" },
    { dotenv: "a" },
    { command: ["a"] },
    { command: [], check: ["a"] },
    { command: ["a"], check: [] },
    { command: [""], check: ["a"] },
    { command: "a", check: "a" },
    { command: ["a"], check: ["a"], shell: true },
  ])("cannot be %j", (sink) => {
    expect(Sink.safeParse(sink).success).toBe(false);
  });

  test("that is a command is refused with the program's name and the option that allows it", () => {
    expect(execProblem({ command: ["vault", "hunter2"], check: ["vault"] })).toEqual({
      code: "SP2002",
      message: "A new secret would go to the command vault, and commands are not run.",
      hint: "Check the command in the manifest. If it is intended, pass --allow-exec.",
    });
  });
});

test("a delivery has a member for the secret, its target and the call that revokes it, and no others", () => {
  const otherwise = { operation: "deleteToken", argument: "tokenId", from: "id" };
  const delivery = { from: "token", to: { file: "a" }, otherwise };
  expect(SecretDelivery.parse(delivery)).toEqual(delivery);
  for (const name of ["from", "to", "otherwise"])
    expect(SecretDelivery.safeParse({ ...delivery, [name]: undefined }).success).toBe(false);
  for (const name of ["operation", "argument", "from"])
    expect(SecretDelivery.safeParse({ ...delivery, otherwise: { ...otherwise, [name]: 3 } }).success).toBe(false);
  expect(SecretDelivery.safeParse({ ...delivery, more: "x" }).success).toBe(false);
  expect(SecretDelivery.safeParse({ ...delivery, otherwise: { ...otherwise, more: "x" } }).success).toBe(false);
});
