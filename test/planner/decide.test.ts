import { describe, expect, test } from "vitest";
import type { Resource } from "../../src/core/resource.ts";
import { decide } from "../../src/planner/decide.ts";
import { absent, box, declare, gauge, present, unknown } from "../support/fake-kinds.ts";

const spec = { shelf: "a", name: "x", size: 1 };
const now = declare(spec);
const gone = declare(spec, { state: "absent" });

/** The decision in words, as the rows below state it. */
function outcome(declared: { readonly now?: Resource; readonly base?: Resource }, live: Parameters<typeof decide>[2]) {
  const decision = decide(box, { now: declared.now, base: declared.base }, live);
  return decision.is === "change" ? `${decision.change.action} ${decision.change.verdict}` : decision.is;
}

describe("the decision about one resource", () => {
  test.each([
    ["declared, never at the base, not live", { now }, absent, "create pending"],
    ["declared as at the base, but deleted on the service", { now, base: now }, absent, "create drift"],
    ["declared again after it was absent", { now, base: gone }, absent, "create pending"],
    ["live as declared", { now, base: now }, present(spec), "in sync"],
    ["changed by us", { now: declare({ ...spec, size: 2 }), base: now }, present(spec), "update pending"],
    ["changed by them", { now, base: now }, present({ ...spec, size: 2 }), "update drift"],
    [
      "changed by both",
      { now: declare({ ...spec, size: 2 }), base: now },
      present({ ...spec, size: 3 }),
      "update conflict",
    ],
    [
      "changed by both to the same",
      { now: declare({ ...spec, size: 2 }), base: now },
      present({ ...spec, size: 2 }),
      "in sync",
    ],
    ["different without a base", { now }, present({ ...spec, size: 2 }), "update pending"],
    [
      "stated now, not at the base",
      { now, base: declare({ shelf: "a", name: "x" }) },
      present({ ...spec, size: 2 }),
      "update pending",
    ],
    ["declared absent", { now: gone, base: now }, present(spec), "delete pending"],
    ["declared absent, without a base", { now: gone }, present(spec), "delete pending"],
    [
      "declared absent while somebody changed it",
      { now: gone, base: now },
      present({ ...spec, size: 2 }),
      "delete conflict",
    ],
    ["absent all along, but somebody created it", { now: gone, base: gone }, present(spec), "delete drift"],
    ["absent and not live", { now: gone }, absent, "in sync"],
    ["left the manifests", { base: now }, present(spec), "delete pending"],
    ["left the manifests while somebody changed it", { base: now }, present({ ...spec, size: 2 }), "delete conflict"],
    ["left the manifests and is gone", { base: now }, absent, "in sync"],
    ["unknown", { now }, unknown, "unknown"],
    ["unknown and to be deleted", { base: now }, unknown, "unknown"],
  ])("%s: %4$s", (_name, declared, live, expected) => {
    expect(outcome(declared, live)).toBe(expected);
  });

  test("a field that the manifest leaves out is not managed", () => {
    const decision = decide(box, { now: declare({ shelf: "a", name: "x" }), base: undefined }, present(spec));
    expect(decision).toEqual({ is: "in sync", ignored: [] });
  });

  test("an ignored field is not managed, but named", () => {
    const wanted = declare({ ...spec, size: 2 }, { ignore: ["size"] });
    expect(decide(box, { now: wanted, base: undefined }, present(spec))).toEqual({ is: "in sync", ignored: ["size"] });
  });

  test("an update keeps the live value of what the manifest ignores or leaves out", () => {
    const wanted = declare({ ...spec, size: 2, label: "new" }, { ignore: ["size"] });
    const decision = decide(box, { now: wanted, base: undefined }, present({ ...spec, on: ["y"] }));
    expect(decision).toMatchObject({ change: { desired: { ...spec, label: "new", on: ["y"] } } });
  });

  test("a kind without writes needs a person", () => {
    const decision = decide(gauge, { now: declare({ ...spec, size: 2 }, {}, gauge), base: undefined }, present(spec));
    expect(decision).toMatchObject({ change: { action: "check", instruction: expect.stringContaining("by hand") } });
  });
});
