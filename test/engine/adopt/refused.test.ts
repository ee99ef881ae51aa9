import { describe, expect, test } from "vitest";
import type { Resource } from "../../../src/core/resource.ts";
import { acknowledge } from "../../../src/engine/acknowledge.ts";
import { adoptFields } from "../../../src/engine/adopt/adopt.ts";
import { nothingLoaded } from "../../../src/manifests/load.ts";
import { decideAll, subjectsOf } from "../../../src/planner/subjects.ts";
import { declare, fakeKinds, present } from "../../support/fake-kinds.ts";

describe("a live value is written only if the manifests, loaded again, declare nothing else", () => {
  const spec = { shelf: "a", name: "x", size: 1, label: "l" };
  const stated = { ...declare(spec), place: { file: "box.yaml", line: 1, column: 7 } };
  const other = declare({ shelf: "b", name: "y" });
  const rewritten = { ...stated, spec: { ...spec, size: 2 } };
  const files = {
    list: async () => ["box.yaml"],
    read: async () => new TextEncoder().encode("kind: Box\nspec: { shelf: a, name: x, size: 1, label: l }\n"),
    size: async () => 0,
    digest: async () => undefined,
    check: async () => {},
  };

  async function refusalsOf(resources: readonly Resource[], isReadAlike = false) {
    const desired = [stated, other];
    const declarations = { kinds: fakeKinds, desired, base: desired, selected: () => true, now: new Date(0) };
    const live = new Map([
      [stated.address, present(rewritten.spec)],
      [other.address, present({ shelf: "b", name: "y" })],
    ]);
    const decided = decideAll(declarations, subjectsOf(declarations), live);
    const load = async () => ({ ...nothingLoaded([]), resources });
    const observe = async () => (isReadAlike ? decided : []);
    const adoption = await adoptFields({ declarations, decided, files, load, observe });
    expect(adoption.files).toHaveLength(adoption.refusals.length === 0 ? 1 : 0);
    return adoption.refusals.map(({ code, message }) => `${code} ${message}`);
  }

  test("than the value", async () => {
    expect(await refusalsOf([rewritten, other])).toEqual([]);
  });

  test("and only if the services, read again, no longer differ from it", async () => {
    expect(await refusalsOf([rewritten, other], true)).toEqual([
      "SP1020 size: The manifest cannot describe the service's state.",
    ]);
  });

  test.each<[string, readonly Resource[]]>([
    ["the former value", [stated, other]],
    ["another field", [{ ...rewritten, spec: { ...rewritten.spec, label: "m" } }, other]],
    ["other metadata", [{ ...rewritten, metadata: { ...stated.metadata, protect: true } }, other]],
    ["another resource otherwise", [rewritten, { ...other, spec: { shelf: "b", name: "y", size: 9 } }]],
    ["one resource less", [rewritten]],
    ["one resource more", [rewritten, other, declare({ shelf: "c", name: "z" })]],
  ])("not: %s", async (_what, resources) => {
    expect(await refusalsOf(resources)).toEqual([
      "SP1020 size: The live value cannot be written at the place of the field in the manifest.",
    ]);
  });

  async function acknowledged(resources: readonly Resource[]) {
    const loads = [[stated, other], resources];
    const load = async () => ({ ...nothingLoaded([]), resources: loads.shift() ?? [] });
    const request = { addresses: [stated.address], acknowledgement: known, kinds: fakeKinds, now: new Date(0) };
    const done = await acknowledge({ ...request, files, load });
    return done.is === "wrong" ? done.problems.map(({ code, address }) => `${code} ${address}`) : done.files.length;
  }

  const known = { until: "1970-01-02", reason: "r", by: "Ada" };
  const earlier = { ...known, fields: ["label"] };
  const quiet = { ...stated, metadata: { ...stated.metadata, acknowledged: [known] } };

  test("than an acknowledgement", async () => {
    expect(await acknowledged([quiet, other])).toBe(1);
  });

  test.each<[string, Resource, Resource?]>([
    ["no acknowledgement", stated],
    ["another value", { ...quiet, spec: { ...spec, size: 2 } }],
    ["other metadata", { ...quiet, metadata: { ...quiet.metadata, protect: true } }],
    ["one more", { ...quiet, metadata: { ...stated.metadata, acknowledged: [known, earlier] } }],
    ["another resource otherwise", quiet, { ...other, spec: { shelf: "b", name: "y", size: 9 } }],
    ["an acknowledgement of another resource", quiet, { ...other, metadata: quiet.metadata }],
    ["another resource in its place", { ...quiet, address: "store/Box/a:z" }],
  ])("acknowledging nothing if it is %s", async (_what, changed, beside = other) => {
    const lost = beside === other ? stated : other;
    expect(await acknowledged([changed, beside])).toEqual([`SP1020 ${lost.address}`]);
  });
});
