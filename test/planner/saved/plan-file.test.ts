import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/core/run/plan.ts";
import { canonicalJson } from "../../../src/core/text/json.ts";
import { fingerprint } from "../../../src/planner/compile.ts";
import { readSavedPlan, type Saving, savedPlan } from "../../../src/planner/saved/plan-file.ts";
import { emptyPlan, fullPlan } from "../../reports/fixture.ts";

const made = new Date("2027-01-13T12:00:00.000Z");
const saving: Saving = {
  expires: new Date("2027-01-14T12:00:00.000Z"),
  manifests: { digest: "d", rules: {}, resources: {} },
  selection: { service: [], kind: [], only: [], label: [] },
  baseCommit: undefined,
  folder: "/srv/site",
};
const saved = savedPlan(fullPlan, saving);
const later = (milliseconds: number) => new Date(made.getTime() + milliseconds);
const day = 86_400_000;

/** What a plan of a part has in addition. */
const parts: Required<Pick<Plan, "affected" | "shard">> = {
  affected: { resources: 1, others: 2 },
  shard: {
    index: 1,
    of: 2,
    digest: "d",
    services: [],
    resources: [{}, {}],
    live: {},
    protected: [],
    guards: { maxDeletePercent: 30, accept: [], noDeletes: false, noExec: false },
    narrowed: false,
  },
};

/** What is reported about a text; `read` if nothing. */
function said(content: unknown, now: Date = made): readonly string[] {
  const result = readSavedPlan(typeof content === "string" ? content : JSON.stringify(content), now);
  return result.is === "read"
    ? ["read"]
    : result.problems.map(({ code, message, hint = "" }) => `${code} ${message} ${hint}`);
}

/** The same with a matching seal. */
function sealed(content: object): unknown {
  const { saved: part, ...rest } = { saved: saved.saved, ...content };
  return { ...rest, saved: { ...part, seal: fingerprint({ ...rest, saved: { ...part, seal: undefined } }) } };
}

describe("a saved plan", () => {
  test("is read back as it was, with what an apply needs to recognise it", () => {
    expect(readSavedPlan(JSON.stringify(saved), made)).toEqual({ is: "read", plan: saved, saved: saved.saved });
    expect(saved).toEqual({
      ...fullPlan,
      saved: {
        expires: "2027-01-14T12:00:00.000Z",
        manifests: saving.manifests,
        selection: saving.selection,
        seal: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    expect(savedPlan(fullPlan, { ...saving, baseCommit: "c" }).saved).toMatchObject({ baseCommit: "c" });
  });

  test("is sealed by the checksum of everything but the seal", () => {
    expect(sealed(saved)).toEqual(saved);
    expect(savedPlan(saved, saving)).toEqual(saved);
    expect(savedPlan({ ...fullPlan, inSync: ["store/Box/x"] }, saving).saved?.seal).not.toBe(saved.saved?.seal);
  });

  test("contains paths relative to the workspace's folder", () => {
    const args = { file: "/srv/site/x", sha256: "0" };
    const call = { id: 1, service: "store", operation: "put", args, carries: [], phase: 0, lane: "a" };
    const plan = savedPlan({ ...emptyPlan, calls: [call] }, saving);
    expect(plan.calls[0]?.args).toEqual({ ...args, file: "./x" });
    expect(said(plan)).toEqual(["read"]);
  });

  test("can be reformatted and have its members in another order", () => {
    expect(said(JSON.stringify(saved, undefined, 2))).toEqual(["read"]);
    expect(said(canonicalJson(saved))).toEqual(["read"]);
  });
});

describe("a file is not a plan to apply", () => {
  const make = "Make a plan with setpoint plan --out <file>, using this version.";
  const notAPlan = [`SP1021 The file is not a plan. ${make}`];

  test("if it is not JSON, and then only the place of the error is shown", () => {
    expect(said("")).toEqual([`SP1021 The file is not JSON. ${make}`]);
    expect(said('{"a": 1,\n "token": hunter2}')).toEqual([`SP1021 The file is not JSON. ${make}`]);
    const long = `{"a": 1,\n${" ".repeat(9)}"token": "hunter2",}`;
    expect(said(long)).toEqual([`SP1021 The file is not JSON: see line 2, column 29. ${make}`]);
    const utf16 = Buffer.from("\ufeff{}", "utf16le");
    for (const bytes of [utf16, utf16.swap16()])
      expect(said(bytes.toString("utf8"))).toEqual([
        `SP1021 The file is not JSON: it is UTF-16 and must be UTF-8. ${make}`,
      ]);
  });

  test("although a byte order mark, as PowerShell writes one, is accepted", () => {
    expect(said(`\ufeff${JSON.stringify(saved)}`)).toEqual(["read"]);
  });

  test("if it covers only a part of what is declared, whatever its seal", () => {
    const { affected, shard } = parts;
    for (const part of [{ affected }, { shard }])
      expect(said(sealed({ ...fullPlan, ...part }))).toEqual([
        `SP1021 The plan covers only a part of what is declared. Such a plan can be read, but not applied. ${make}`,
      ]);
  });

  test("if it contains something else, or too much", () => {
    for (const content of ["[]", "null", "3", '"plan"']) expect(said(content)).toEqual(notAPlan);
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    expect(said(nested(501))).toEqual(notAPlan);
    expect(said(nested(500))[0]).toMatch(/^SP1021 The file is not a plan: .*the plan needs "version"/);
    expect(said(`{"a":${"[".repeat(500_000)}1${"]".repeat(500_000)}}`)).toHaveLength(1);
    expect(said(" ".repeat(64 * 1024 * 1024 + 1))).toEqual([`SP1021 The file is larger than any plan. ${make}`]);
    expect(said("[".padEnd(1000))).toEqual([expect.stringMatching("^SP1021 The file is not JSON")]);
  });

  test("if it is of another version", () => {
    expect(said({ ...saved, version: 2 })).toEqual([
      "SP1021 The plan has version 2; expected version 1. Plan again, and apply with the same version of setpoint.",
    ]);
    expect(said({ ...saved, version: "1" })[0]).toMatch(/^SP1021 The file is not a plan: version is not 1\. Make/);
  });

  test("if it was printed and not saved", () => {
    expect(said(fullPlan)).toEqual([`SP1021 The plan was printed, not saved. ${make}`]);
  });

  test("if it was changed", () => {
    const problem =
      "SP2005 The plan is not as it was saved: its seal does not match its content. Plan again, and apply the file unchanged.";
    expect(said({ ...saved, inSync: ["store/Box/x"] })).toEqual([problem]);
    expect(said({ ...saved, saved: { ...saved.saved, expires: "2099-01-01T00:00:00.000Z" } })).toEqual([problem]);
    expect(said({ ...saved, extra: 1 })[0]).toMatch(/^SP1021 .*has no field "extra"/);
  });

  test("if it has expired, or is further in the future than clocks can differ", () => {
    expect(said(saved, later(day - 1))).toEqual(["read"]);
    expect(said(saved, later(day))).toEqual([
      "SP2004 The plan expired at 2027-01-14 12:00 UTC. Plan again and review that plan; --expires sets how long it is valid.",
    ]);
    expect(said(saved, later(-300_000))).toEqual(["read"]);
    expect(said(saved, later(-300_001))).toEqual([
      "SP2004 The plan was made at 2027-01-13 12:00 UTC, which is in the future. Correct the clock of this machine.",
    ]);
  });

  test("if a guard refuses it", () => {
    const refusals = [{ code: "SP2002" as const, message: "No deletes.", hint: "Think." }];
    expect(said(savedPlan({ ...fullPlan, refusals }, saving))).toEqual(["SP2002 No deletes. Think."]);
  });
});
