import { expect, test } from "vitest";
import { knownProblems } from "../../src/cli/failure.ts";
import { replaceFiles } from "../../src/engine/adopt/rewritten-files.ts";
import { unreadableFile } from "../../src/manifests/yaml/read-text.ts";
import { temporaryFolder } from "../support/commands.ts";
import { problemsOf } from "../support/lab.ts";

const denied = Object.assign(new Error("EACCES: permission denied, scandir '/w/.setpoint/runs'"), {
  code: "EACCES",
  syscall: "scandir",
  path: "/w/.setpoint/runs",
});
const hint = expect.stringMatching(/^The account that runs setpoint needs access to it: /);

test("a folder of another account, such as the journals of root, is a matter of its permissions", () => {
  const message = "/w/.setpoint/runs cannot be used: permission denied.";
  expect(knownProblems(denied)).toEqual([{ code: "SP1017", message, hint }]);
});

test("a workspace file that may not be read is not said to be missing", () => {
  const missing = { code: "SP1013", hint: "Make one with setpoint init." } as const;
  expect(unreadableFile("setpoint.yaml", denied, missing)).toMatchObject({ hint });
  const none = Object.assign(new Error("ENOENT"), { code: "ENOENT" });
  expect(unreadableFile("setpoint.yaml", none, missing)).toMatchObject({ hint: missing.hint });
});

test("a manifest that cannot be replaced is named, not the file that was to take its place", async () => {
  await using folder = await temporaryFolder();
  const rewritten = { file: "manifests/gone.yaml", before: "a", after: "b" };
  expect(await problemsOf(replaceFiles(folder.path, [rewritten]))).toEqual([
    { code: "SP1017", message: "manifests/gone.yaml cannot be replaced: there is no such file." },
  ]);
});
