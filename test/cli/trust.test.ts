import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Desk, lock, openDesk, workflows } from "../support/commands.ts";
import { commitAll, gitIn } from "../support/git.ts";

const rules = "guards: { maxDeletes: 0 }\nvariables: { branch: release-2.3 }\nexclusive: []\n";

test("a plan begins with the rules that a pull request changes, and is made by the merged rules", async () => {
  await using desk = await openDesk(lock("platform/core", '"${var.branch}"'), { settings: rules });
  merge(desk);
  const file = await readFile(join(desk.path, "setpoint.yaml"), "utf8");
  await desk.write(
    "setpoint.yaml",
    `${file
      .replace(`${desk.sandbox.url}/review`, "http://127.0.0.1:1/evil")
      .replace("maxDeletes: 0", "maxDeletes: 500")
      .replace("release-2.3", "main")
      .replace("exclusive: []", "exclusive: [{ kind: AnalysisUser }]")}  # the end\n`,
  );
  await desk.write("manifests/more.yaml", workflows("website", true));
  const { code, out } = await desk.run(["plan", "--trust", "main", "--base", "main"]);
  expect(out.replace(/\([0-9a-f]{10}\)/, "(0123456789)")).toMatchInlineSnapshot(`
    "Judged by the rules at main (0123456789). This pull request changes them:
      setpoint.yaml:3  services.review.url  "http://sandbox.example/review" → "http://127.0.0.1:1/evil"
      setpoint.yaml:7  guards.maxDeletes  0 → 500
      setpoint.yaml:8  variables.branch  "release-2.3" → "main"
      setpoint.yaml:9  exclusive  [] → [{"kind":"AnalysisUser"}]
    Once merged, this is judged differently:
    manifests/all.yaml:2:7  SP1022  Once merged, review/BranchLock/platform/core:main is declared.
      1 │ ---
      2 │ kind: BranchLock
        │       ^^^^^^^^^^
    manifests/all.yaml:2:7  SP1022  Once merged, review/BranchLock/platform/core:release-2.3 is no
        longer declared: a plan with a base would delete it.
      1 │ ---
      2 │ kind: BranchLock
        │       ^^^^^^^^^^
    setpoint.yaml:9:13  SP1022  Once merged, a plan deletes undeclared objects of AnalysisUser in
        analysis.
      8 │ variables: { branch: main }
      9 │ exclusive: [{ kind: AnalysisUser }]
        │             ^^^^^^^^^^^^^^^^^^^^^^

    review   http://sandbox.example/review                                                       2 reads
      + BranchLock platform/core:release-2.3                                       drift, narrows access
          project        platform/core
          branch         release-2.3
          permissions    create, delete, push, pushMerge, submit
          reviewUploads  true
          groups         global:Registered-Users
          exclusive      true
          force          false
          project configured by Ada Brandt, 2026-01-01 00:00 UTC: "Created project"
          manifests/all.yaml:2

    1 in sync   0 pending   1 drift   0 conflicts   0 unknown
    Apply would make 1 call: 1 × review.modifyProjectAccess.
    "
  `);
  expect(code).toBe(0);
  const asked = new Set(desk.sandbox.requests().map(({ service }) => service));
  expect(asked).toEqual(new Set(["review", "hosting"]));
});

test("apply and validate are judged by the merged rules too", async () => {
  await using desk = await openDesk(lock("platform/core", "release-2.3"), { settings: rules });
  merge(desk);
  await desk.write(
    "setpoint.yaml",
    (await readFile(join(desk.path, "setpoint.yaml"), "utf8")).replaceAll(desk.sandbox.url, "http://127.0.0.1:1"),
  );
  const applied = await desk.run(["apply", "--trust", "main", "--yes", "--json"]);
  expect(applied.code).toBe(0);
  expect(JSON.parse(applied.out)).toMatchObject({
    plan: { trusted: { ref: "main", commit: git(desk, "rev-parse", "main").trim() } },
    outcomes: [{ address: "review/BranchLock/platform/core:release-2.3", result: "applied" }],
  });
  const validated = await desk.run(["validate", "--trust", "main"]);
  expect(validated.out).toContain("This pull request changes them:");
  expect(await desk.run(["validate", "--trust", "nowhere"])).toMatchObject({
    code: 1,
    out: expect.stringContaining("SP5002"),
  });
});

/** Commits the files on disk as the branch main. */
function merge(desk: Desk): void {
  commitAll(desk.path, "Merged");
}

const git = ({ path }: Desk, ...args: readonly string[]) => gitIn(path, ...args);
