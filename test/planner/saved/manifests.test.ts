import { describe, expect, test } from "vitest";
import { manifestProblems, manifestsOf, portable, type Stated } from "../../../src/planner/saved/manifests.ts";
import { declare } from "../../support/fake-kinds.ts";

test("the folder of a file to send becomes a dot; paths that only begin like it stay, and so do values", () => {
  const sha256 = "0".repeat(64);
  const sent = (path: string, file: string) => ({
    content: { path, sha256 },
    args: [{ file, sha256 }],
    n: 1,
    none: null,
  });
  const value = { value: "/srv/site/data", list: ["/srv/site/"], path: "/srv/site/a" };
  const here = { ...sent("/srv/site/a.txt", "/srv/site/b/c"), other: sent("/srv/site", "/srv/sites/a"), ...value };
  const moved = { ...sent("./a.txt", "./b/c"), other: sent("/srv/site", "/srv/sites/a"), ...value };
  expect(portable(here, "/srv/site")).toEqual(moved);
  expect(portable(here, "/srv/site/")).toEqual(moved);
});

const box = (name: string, size: number, file = `${name}.yaml`) => ({
  ...declare({ shelf: "a", name, size }),
  place: { file, line: 1, column: 1 },
});
const stated = (part: Partial<Stated> = {}) => ({
  resources: [box("x", 1), box("y", 1)],
  rules: { guards: { maxDeletes: 1 }, policies: [] },
  folder: "/one",
  commit: undefined,
  ...part,
});

describe("the saved form of manifests", () => {
  const saved = manifestsOf(stated());

  test("has a hash of each resource and rule, and one of everything", () => {
    expect(Object.keys(saved.resources)).toEqual(["store/Box/a:x", "store/Box/a:y"]);
    expect(Object.keys(saved.rules)).toEqual(["guards", "policies"]);
    for (const print of [saved.digest, ...Object.values(saved.resources), ...Object.values(saved.rules)])
      expect(print).toMatch(/^[0-9a-f]{64}$/);
    expect(saved).not.toHaveProperty("commit");
    expect(manifestsOf(stated({ commit: "c1" }))).toEqual({ ...saved, commit: "c1" });
  });

  test("is the same wherever the folder and the documents are", () => {
    const file = (folder: string) => stated({ folder, rules: { at: { path: `${folder}/rules.yaml`, sha256: "0" } } });
    expect(manifestsOf(file("/one"))).toEqual(manifestsOf(file("/two")));
    const elsewhere = stated({ resources: [box("x", 1, "other.yaml"), box("y", 1)] });
    expect(manifestsOf(elsewhere)).toEqual(saved);
  });

  test("differs for another specification, other metadata or another rule", () => {
    const [x, y] = stated().resources;
    if (x === undefined || y === undefined) throw new Error("no boxes");
    const others = [
      stated({ resources: [box("x", 2), y] }),
      stated({ resources: [{ ...x, metadata: { ...x.metadata, protect: true } }, y] }),
      stated({ resources: [{ ...x, role: "ci" }, y] }),
      stated({ resources: [{ ...x, scope: "b" }, y] }),
      stated({ resources: [x] }),
      stated({ rules: { guards: { maxDeletes: 2 }, policies: [] } }),
    ];
    const digests = [saved.digest, ...others.map((other) => manifestsOf(other).digest)];
    expect(new Set(digests).size).toBe(digests.length);
  });

  test("leaves out the contents of live lists", () => {
    expect(manifestsOf(stated({ resources: [box("x", 1), box("y", 1), { ...box("z", 1), listed: true }] }))).toEqual(
      saved,
    );
  });
});

describe("manifests that differ from those of a plan", () => {
  const told = (before: Partial<Stated>, after: Partial<Stated>) =>
    manifestProblems(manifestsOf(stated(before)), manifestsOf(stated(after)), stated(after).resources).map(
      ({ code, message, hint }) => `${code} ${message} ${hint}`,
    );
  const again =
    "Plan again and review that plan. Use the same version of setpoint and the same -e, --var and --values for both.";

  test("are a problem that names changed, new and removed resources with their files, and changed rules", () => {
    expect(
      told(
        {},
        { resources: [box("x", 2), box("z", 1)], rules: { guards: { maxDeletes: 1 }, policies: [1], limits: 1 } },
      ),
    ).toEqual([
      "SP2004 The manifests are not those of the plan: changed: store/Box/a:x (x.yaml); new: store/Box/a:z (z.yaml); " +
        `removed: store/Box/a:y; workspace rules changed: policies, limits. ${again}`,
    ]);
  });

  test("are not reported if nothing differs, whether commits are known or not", () => {
    expect(told({}, {})).toEqual([]);
    expect(told({ commit: "a" }, {})).toEqual([]);
    expect(told({}, { commit: "a" })).toEqual([]);
    expect(told({ commit: "a" }, { commit: "a" })).toEqual([]);
  });

  test("are reported for another commit even if nothing else differs", () => {
    expect(told({ commit: "0123456789abcdef" }, { commit: "fedcba9876543210" })).toEqual([
      "SP2004 The manifests are not those of the plan: commit fedcba9876 is checked out, but the plan was made from 0123456789; " +
        "no declared resource differs. Plan again and review that plan, or check out the commit of this one. " +
        "Use the same version of setpoint and the same -e, --var and --values for both.",
    ]);
  });

  test("are named up to ten of each sort, and the rest counted", () => {
    const many = (count: number) => ({
      resources: Array.from({ length: count }, (_none, index) => box(`n${index}`, 1)),
    });
    const [ten = ""] = told({ resources: [] }, many(10));
    expect(ten).toContain("store/Box/a:n9 (n9.yaml). Plan");
    const [more = ""] = told({ resources: [] }, many(12));
    expect(more).toContain("store/Box/a:n9 (n9.yaml) and 2 more. Plan");
    expect(more).not.toContain("n10");
  });
});
