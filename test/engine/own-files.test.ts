import fs, { readdirSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Service } from "../../src/core/service.ts";
import { diskLocks } from "../../src/engine/locks/locks.ts";
import { diskReadings } from "../../src/engine/readings/readings.ts";
import { temporaryFolder } from "../support/commands.ts";
import { problemsOf } from "../support/lab.ts";

const service: Service = {
  ...{ name: "hosting", role: "hosting", type: "github", url: "https://hosting.example", wire: "product" },
  limits: { concurrency: 1, timeout: 1, attempts: 1 },
};

/** Makes the disk full for files whose path matches: only their beginning is written. */
function fillDisk(full: RegExp): void {
  const write = fs.writeFileSync;
  const writing = vi.spyOn(fs, "writeFileSync").mockImplementation((file, data, options) => {
    if (!full.test(String(file))) return write(file, data, options);
    write(file, "half", options);
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
  onTestFinished(() => {
    writing.mockRestore();
    syncBuiltinESMExports();
  });
  syncBuiltinESMExports();
}

test("answers that do not fit on the disk leave no file", async () => {
  await using folder = await temporaryFolder();
  fillDisk(/[.]readings/);
  const readings = diskReadings({ XDG_CACHE_HOME: folder.path });
  readings.of({ service, asked: {} }).set("/a", { etag: '"a"', type: undefined, link: undefined, body: "a" });
  readings.save();
  expect(readdirSync(join(folder.path, "setpoint/readings"))).toEqual([]);
});

test("a mark of the last run that does not fit on the disk leaves neither a file nor a lock", async () => {
  await using folder = await temporaryFolder();
  fillDisk(/[.]last/);
  const claim = { run: "r1", command: "apply", workspace: "/srv", since: "2026-11-22T08:00:00.000Z" };
  const clock = { now: () => 0, wait: async () => {} };
  const taking = diskLocks({ XDG_STATE_HOME: folder.path }).take([service], claim, {
    wait: 0,
    clock,
    signal: new AbortController().signal,
  });
  expect(await problemsOf(taking)).toMatchObject([{ code: "SP1017" }]);
  expect(readdirSync(join(folder.path, "setpoint/locks"))).toEqual([]);
});
