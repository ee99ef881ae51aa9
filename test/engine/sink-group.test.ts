import { join, parse, relative } from "node:path";
import { expect, test } from "vitest";
import { Secret } from "../../src/core/secret.ts";
import { sinkOpener } from "../../src/engine/secrets/sink.ts";
import { temporaryFolder } from "../support/commands.ts";
import { problemsOf } from "../support/lab.ts";
import { filesBelow } from "../support/tokens.ts";

test("a sink of a workspace in the root folder of a disk, such as a container's, is below that folder", async () => {
  await using folder = await temporaryFolder();
  const { root } = parse(folder.path);
  const openSink = sinkOpener({ folder: root, allowExec: false, env: process.env });
  const sink = await openSink({ file: relative(root, join(folder.path, "secret")) });
  await sink.put(new Secret("x".repeat(20)));
  expect(filesBelow(folder.path).secret).toBe("x".repeat(20));
});

test.runIf(process.platform === "linux")(
  "a sink's command runs in its own process group, out of reach of a terminal's Ctrl-C",
  async () => {
    await using folder = await temporaryFolder();
    const openSink = sinkOpener({ folder: folder.path, allowExec: true, env: process.env });
    // The fields after the name in brackets: state, parent, process group.
    const script = `sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 3 > group; echo $$ > own; cat > secret`;
    const sink = await openSink({ command: ["sh", "-c", script], check: ["cat", join(folder.path, "secret")] });
    await sink.put(new Secret("x".repeat(20)));
    const { group, own } = filesBelow(folder.path);
    expect(group).toBe(own);
  },
);

test.runIf(process.platform !== "win32")(
  "a sink's command that takes too long is ended with everything that it has started, which would hold its output open",
  async () => {
    await using folder = await temporaryFolder();
    const openSink = sinkOpener({ folder: folder.path, allowExec: true, env: process.env, patience: 1 });
    const sink = await openSink({ command: ["sh", "-c", "sleep 3600 & wait"], check: ["true"] });
    expect(await problemsOf(sink.put(new Secret("x".repeat(20))))).toMatchObject([
      { code: "SP4005", message: expect.stringMatching(/did not end within [\d.]+ seconds\.$/) },
    ]);
  },
);
