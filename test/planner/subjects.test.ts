import { describe, expect, test } from "vitest";
import type { Observation } from "../../src/core/change.ts";
import type { Kind } from "../../src/core/kind.ts";
import type { Metadata, Resource } from "../../src/core/resource.ts";
import {
  asOf,
  type Declarations,
  decideAll,
  laneOf,
  subjectsOf,
  targetsOf,
  undeclaredTargets,
  wantedReferences,
} from "../../src/planner/subjects.ts";
import { absent, type Box, box, declare, fakeKinds, gauge, present, unknown, wall } from "../support/fake-kinds.ts";

function declarations(desired: readonly Resource[], part: Partial<Declarations> = {}): Declarations {
  return { kinds: fakeKinds, desired, base: undefined, selected: () => true, now: new Date(0), ...part };
}

const spec = (name: string, more: Partial<Box> = {}): Box => ({ shelf: "a", name, ...more });
const a = declare(spec("a"));
const b = declare(spec("b"));
const c = declare(spec("c"));
const gone = { state: "absent" } as const;

describe("the resources that are read", () => {
  const addresses = (of: Declarations) => subjectsOf(of).map(({ address }) => address.split("/").at(-1));

  test("are all that are declared now or were at the base, by address, each once", () => {
    expect(addresses(declarations([c, a], { base: [b, a] }))).toEqual(["a:a", "a:b", "a:c"]);
    expect(addresses(declarations([a, b, c]))).toEqual(["a:a", "a:b", "a:c"]);
    const now = declare(spec("a", { size: 2 }));
    expect(subjectsOf(declarations([now], { base: [a] }))).toEqual([
      { address: a.address, service: "store", kind: box, scope: "shelf a", lane: "store shelf a", now, base: a },
    ]);
    expect(subjectsOf(declarations([a]))).toMatchObject([{ now: a, base: undefined }]);
    expect(subjectsOf(declarations([], { base: [a] }))).toMatchObject([{ now: undefined, base: a }]);
  });

  test("are the selected ones, and a declared resource never counts as having left", () => {
    const all = declarations([a, b], { base: [a, c] });
    expect(addresses({ ...all, selected: ({ key }) => key === "a:b" })).toEqual(["a:b"]);
    expect(addresses({ ...all, selected: ({ key }) => key !== "a:b" })).toEqual(["a:a", "a:c"]);
    expect(addresses({ ...all, selected: (resource) => resource !== a })).toEqual(["a:b", "a:c"]);
    expect(addresses({ ...all, desired: [b, declare(spec("a"), {})], selected: (one) => one === a })).toEqual([]);
  });

  test("have their base also if a label that selects them is new", () => {
    const labelled = declare(spec("a"), { labels: { team: "web" } });
    const selected: Declarations["selected"] = ({ metadata }) => metadata.labels.team === "web";
    expect(subjectsOf({ ...declarations([labelled], { base: [a, b] }), selected })).toMatchObject([{ base: a }]);
  });

  test("do not include those that have left and are permanent, or were absent at the base", () => {
    const fixed = declare(spec("w"), {}, wall);
    expect(addresses(declarations([fixed]))).toEqual(["a:w"]);
    expect(addresses(declarations([], { base: [fixed] }))).toEqual([]);
    expect(addresses(declarations([], { base: [declare(spec("a"), gone)] }))).toEqual([]);
    expect(addresses(declarations([declare(spec("a"), gone)]))).toEqual(["a:a"]);
  });

  test("include none of an unknown kind", () => {
    expect(subjectsOf(declarations([{ ...a, kind: "Nonesuch" }]))).toEqual([]);
  });

  test("are observed as declared now first, then as at the base, if present there", () => {
    const specsOf = (of: Declarations) => targetsOf(subjectsOf(of)).map(({ specs }) => specs);
    const now = declare(spec("a", { size: 2 }));
    expect(specsOf(declarations([now], { base: [a] }))).toEqual([[now.spec, a.spec]]);
    expect(specsOf(declarations([now], { base: [declare(spec("a"), gone)] }))).toEqual([[now.spec]]);
    expect(specsOf(declarations([now]))).toEqual([[now.spec]]);
    expect(specsOf(declarations([], { base: [a] }))).toEqual([[a.spec]]);
    expect(targetsOf(subjectsOf(declarations([now])))).toStrictEqual([
      { address: a.address, service: "store", kind: box, scope: "shelf a", specs: [now.spec] },
    ]);
  });
});

describe("the references of changes", () => {
  const top = declare(spec("top", { on: ["a", "elsewhere"] }));
  const decidedOf = (of: Declarations, live: ReadonlyMap<string, Observation> = new Map()) => {
    const subjects = subjectsOf(of);
    return decideAll(of, subjects, new Map(subjects.map(({ address }) => [address, live.get(address) ?? absent])));
  };

  test("are read once if no manifest declares them", () => {
    const of = declarations([top, declare(spec("tip", { on: ["elsewhere"] })), a]);
    expect(undeclaredTargets(of, decidedOf(of))).toEqual([
      {
        address: "store/Box/a:elsewhere",
        service: "store",
        kind: box,
        scope: "shelf a",
        specs: [{ shelf: "a", name: "elsewhere" }],
      },
    ]);
  });

  test("are not read twice if they have left the manifests, and are read if they are not selected", () => {
    const of = declarations([top], { base: [a, declare(spec("elsewhere"))] });
    expect(undeclaredTargets(of, decidedOf(of))).toEqual([]);
    const selected = ({ key }: { readonly key: string }) => key === "a:top";
    const narrowed = declarations([top, a], { selected });
    expect(undeclaredTargets(narrowed, decidedOf(narrowed)).map(({ address }) => address)).toEqual([
      "store/Box/a:a",
      "store/Box/a:elsewhere",
    ]);
  });

  test("count for creates and updates, and for nothing else", () => {
    const refers = (of: Declarations, live?: Observation) =>
      decidedOf(of, new Map(live === undefined ? [] : [[top.address, live]])).flatMap((one) =>
        wantedReferences(fakeKinds, one).map(({ address }) => address),
      );
    const both = ["store/Box/a:a", "store/Box/a:elsewhere"];
    expect(refers(declarations([top]))).toEqual(both);
    expect(refers(declarations([top]), present(spec("top")))).toEqual(both);
    expect(refers(declarations([top]), present(spec("top", { on: ["a", "elsewhere"] })))).toEqual([]);
    expect(refers(declarations([top]), unknown)).toEqual([]);
    expect(refers(declarations([declare(spec("top", { on: ["a"] }), gone)]), present(spec("top")))).toEqual([]);
    expect(refers(declarations([declare(spec("top", { on: ["a"] }), {}, gauge)]))).toEqual([]);
  });

  test("are empty for a kind without references, and for a kind that does not exist", () => {
    const pointing: Kind = { ...box, references: () => [{ kind: "Nonesuch", identity: {} }] };
    const plain: Kind = { ...box };
    Reflect.deleteProperty(plain, "references");
    for (const kind of [pointing, plain]) {
      const of = declarations([top], { kinds: new Map([["Box", kind]]) });
      expect(decidedOf(of).flatMap((one) => wantedReferences(of.kinds, one))).toEqual([]);
    }
  });
});

describe("what another resource now claims is kept", () => {
  const labelled = (name: string, label: string, metadata: Partial<Metadata> = {}) =>
    declare(spec(name, { label, size: 1 }), metadata);
  const keptOf = (of: Declarations, liveSpec: Box) => {
    const subjects = subjectsOf(of);
    const observations = new Map(subjects.map(({ address }) => [address, present(liveSpec)]));
    const own = decideAll(of, subjects, observations).find(({ address }) => address === a.address);
    const change = own?.decision.is === "change" ? own.decision.change : undefined;
    return change !== undefined && "kept" in change ? change.kept : undefined;
  };
  const live = spec("a", { label: "old", size: 2 });

  test("if this resource no longer claims it", () => {
    const base = [labelled("a", "red")];
    expect(keptOf(declarations([labelled("a", "blue"), labelled("b", "red")], { base }), live)).toEqual(["label red"]);
    expect(keptOf(declarations([labelled("b", "red")], { base }), live)).toEqual(["label red"]);
    expect(keptOf(declarations([labelled("a", "red", gone), labelled("b", "red")]), live)).toEqual(["label red"]);
  });

  test("but not if it still does, or if no other resource does", () => {
    const base = [labelled("a", "red")];
    expect(keptOf(declarations([labelled("a", "red"), labelled("b", "red")], { base }), live)).toEqual([]);
    expect(keptOf(declarations([labelled("a", "blue"), labelled("b", "green")], { base }), live)).toEqual([]);
    expect(keptOf(declarations([labelled("a", "blue")], { base }), live)).toEqual([]);
    expect(keptOf(declarations([labelled("a", "blue"), labelled("b", "red", gone)], { base }), live)).toEqual([]);
  });

  test("but not in another service", () => {
    const other = { ...labelled("b", "red"), service: "shop", address: "shop/Box/a:b" };
    expect(keptOf(declarations([labelled("a", "blue"), other], { base: [labelled("a", "red")] }), live)).toEqual([]);
  });
});

test("a resource missing from the service's answer is unknown, in words that say so", () => {
  const of = declarations([a]);
  expect(decideAll(of, subjectsOf(of), new Map())).toMatchObject([
    {
      observation: { is: "unknown" },
      decision: {
        is: "unknown",
        problem: {
          code: "SP3104",
          service: "store",
          address: a.address,
          message: "The service's answer does not include the resource.",
        },
      },
    },
  ]);
});

describe("a resource that expires", () => {
  const at = (moment: string, metadata: Partial<Metadata>, kind: Kind<Box> = box) => {
    const resource = declare(spec("x"), metadata, kind);
    return { resource, result: asOf([resource], fakeKinds, new Date(moment)) };
  };
  const expires = "2027-03-31";

  test("is as declared until the last moment before its day, in UTC", () => {
    for (const metadata of [{}, { expires }, { expires: "2028-01-01" }]) {
      const { resource, result } = at("2027-03-30T23:59:59.999Z", metadata);
      expect(result).toEqual([resource]);
      expect(result[0]).toBe(resource);
    }
  });

  test("should not exist from its day on, and says why", () => {
    for (const moment of ["2027-03-31T00:00:00Z", "2030-01-01T00:00:00Z"]) {
      const { resource, result } = at(moment, { expires, note: "temporary" });
      const metadata = { ...resource.metadata, state: "absent" };
      expect(result).toEqual([{ ...resource, metadata, because: "expired on 2027-03-31" }]);
    }
  });

  test("stays as it is if it is declared absent anyway, and is not managed if it cannot be absent", () => {
    const { resource, result } = at("2030-01-01T00:00:00Z", { expires, ...gone });
    expect(result).toEqual([resource]);
    expect(at("2030-01-01T00:00:00Z", { expires }, wall).result).toEqual([]);
    expect(at("2027-03-30T00:00:00Z", { expires }, wall).result).toHaveLength(1);
    const { resource: foreign } = at("2030-01-01T00:00:00Z", { expires }, { ...box, kind: "Nonesuch" });
    expect(asOf([foreign], fakeKinds, new Date("2030-01-01T00:00:00Z"))).toMatchObject([{ metadata: gone }]);
  });
});

test("a remote object is identified by its service and scope", () => {
  expect(laneOf("store", "shelf a")).toBe("store shelf a");
});
