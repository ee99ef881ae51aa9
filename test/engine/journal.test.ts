import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openJournal } from "../../src/engine/journal.ts";

const folder = mkdtempSync(join(tmpdir(), "setpoint-journal-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a journal is one JSON line an entry, on disk when write returns, readable by its owner alone", () => {
  const journal = openJournal(folder, "run-1", () => new Date(0));
  journal.write({ event: "start", run: "run-1", calls: 1 });
  expect(readFileSync(journal.path, "utf8")).toBe(
    '{"at":"1970-01-01T00:00:00.000Z","event":"start","run":"run-1","calls":1}\n',
  );
  expect(statSync(journal.path).mode & 0o777).toBe(0o600);
  journal.close();
  // A journal is never written over.
  expect(() => openJournal(folder, "run-1", () => new Date(0))).toThrow("EEXIST");
});
