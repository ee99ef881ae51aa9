import { describe, expect, test } from "vitest";
import type { Change, Observation } from "../../src/core/change.ts";
import type { Kind } from "../../src/core/kind.ts";
import type { Metadata, Resource } from "../../src/core/resource.ts";
import {
  circleProblem,
  declaredReferences,
  dependenciesOf,
  missingReferences,
  spreadUnknown,
} from "../../src/planner/dependencies.ts";
import { type Decided, type Declarations, decideAll, subjectsOf } from "../../src/planner/subjects.ts";
import { absent, type Box, box, declare, fakeKinds, present, unknown } from "../support/fake-kinds.ts";

type Live = Readonly<Record<string, Observation>>;

const address = (name: string) => `store/Box/a:${name}`;
const spec = (name: string, ...on: readonly string[]): Box => ({
  shelf: "a",
  name,
  ...(on.length === 0 ? {} : { on: [...on] }),
});
const declared = (name: string, on: readonly string[] = [], metadata: Partial<Metadata> = {}) =>
  declare(spec(name, ...on), metadata);
const gone = { state: "absent" } as const;

function declarations(desired: readonly Resource[], part: Partial<Declarations> = {}): Declarations {
  return { kinds: fakeKinds, desired, base: undefined, selected: () => true, now: new Date(0), ...part };
}

/** The decisions; what `live` leaves out is absent. */
function decidedOf(of: Declarations, live: Live = {}): readonly Decided[] {
  const subjects = subjectsOf(of);
  return decideAll(
    of,
    subjects,
    new Map(subjects.map((one) => [one.address, live[one.address.slice(address("").length)] ?? absent])),
  );
}

const undeclared = (live: Live = {}) =>
  new Map(Object.entries(live).map(([name, observation]) => [address(name), observation]));

describe("the graph of declared resources", () => {
  test("has each resource with its references, declared or not", () => {
    expect(declaredReferences(declarations([declared("top", ["x", "y"]), declared("x")]))).toEqual(
      new Map([
        [address("top"), [address("x"), address("y")]],
        [address("x"), []],
      ]),
    );
    expect(declaredReferences(declarations([{ ...declared("top", ["x"]), kind: "Nonesuch" }]))).toEqual(
      new Map([[address("top"), []]]),
    );
  });

  test("with a circle is a problem at its first resource, naming every edge", () => {
    const edges = [
      { from: address("y"), to: address("x") },
      { from: address("x"), to: address("y") },
    ];
    const y = { ...declared("y"), place: { file: "y.yaml", line: 7, column: 1 } };
    expect(circleProblem({ is: "circle", edges }, [declared("x"), y])).toStrictEqual({
      code: "SP2001",
      message: "These resources need each other: store/Box/a:y needs store/Box/a:x, store/Box/a:x needs store/Box/a:y.",
      hint: "Remove one of the references.",
      place: y.place,
    });
    expect(circleProblem({ is: "circle", edges }, [])).not.toHaveProperty("place");
    expect(circleProblem({ is: "circle", edges: [] }, [y])).not.toHaveProperty("place");
  });
});

describe("a reference", () => {
  const problems = (of: Declarations, live?: Live, seen?: Live) =>
    missingReferences(of, { decided: decidedOf(of, live), undeclared: undeclared(seen) }).map(({ message }) => message);
  const said = (reason: string, name = "x") => [`Box a:top refers to ${address(name)}, which ${reason}.`];

  test("to what is neither declared nor live is an error in the manifest", () => {
    const of = declarations([declared("top", ["x"])]);
    expect(missingReferences(of, { decided: decidedOf(of), undeclared: undeclared({ x: absent }) })).toStrictEqual([
      {
        code: "SP1010",
        address: address("top"),
        refersTo: "store/Box/a:x",
        message: "Box a:top refers to store/Box/a:x, which is neither declared nor live.",
        hint: "Declare the Box, or remove the reference.",
        place: of.desired[0]?.place,
      },
    ]);
    expect(problems(of, {}, { x: present(spec("x")) })).toEqual([]);
    expect(problems(of, {}, { x: unknown })).toEqual([]);
    expect(problems(of)).toEqual([]);
  });

  test("is checked when it changes, and as it will be", () => {
    const of = declarations([declared("top", ["x"])]);
    const updated = { top: present(spec("top", "y")) };
    expect(problems(of, updated, { x: absent, y: absent })).toEqual(said("is neither declared nor live"));
    expect(problems(of, { top: present(spec("top", "x")) }, { x: absent })).toEqual([]);
    expect(problems(of, { top: unknown }, { x: absent })).toEqual([]);
  });

  test("to a declared resource is no error, whether it exists or not", () => {
    expect(problems(declarations([declared("top", ["x"]), declared("x")]))).toEqual([]);
    const selected = ({ key }: { readonly key: string }) => key === "a:top";
    expect(problems(declarations([declared("top", ["x"]), declared("x")], { selected }))).toEqual([]);
  });

  test("to what is declared absent is an error even if nothing changes, with the reason if known", () => {
    const live = { top: present(spec("top", "x")), x: present(spec("x")) };
    const of = declarations([declared("top", ["x"]), declared("x", [], gone)]);
    expect(problems(of)).toEqual(said("is declared absent"));
    expect(problems(of, live)).toEqual(said("is declared absent"));
    const expired = { ...declared("x", [], gone), because: "expired on 2027-03-31" };
    expect(problems(declarations([declared("top", ["x"]), expired]), live)).toEqual(said("expired on 2027-03-31"));
  });

  test("to what the same plan deletes is an error", () => {
    const live = { top: present(spec("top", "x")), x: present(spec("x")) };
    const of = declarations([declared("top", ["x"])], { base: [declared("x")] });
    expect(problems(of, live)).toEqual(said("has left the manifests, so this plan deletes it"));
    expect(problems(of, { top: live.top })).toEqual([]);
    expect(problems(of)).toEqual(said("is neither declared nor live"));
  });

  test("of an absent resource, or of an unknown kind, is no error", () => {
    expect(problems(declarations([declared("top", ["x"], gone), declared("x", [], gone)]))).toEqual([]);
    expect(problems(declarations([{ ...declared("top", ["x"]), kind: "Nonesuch" }, declared("x", [], gone)]))).toEqual(
      [],
    );
  });
});

describe("an unknown resource", () => {
  const spread = (of: Declarations, live?: Live, seen?: Live) =>
    spreadUnknown(of, { decided: decidedOf(of, live), undeclared: undeclared(seen) }).map(({ decision }) =>
      decision.is === "unknown" ? [decision.problem.code, decision.problem.message] : [decision.is],
    );
  const chain = declarations([declared("1", ["2"]), declared("2", ["3"]), declared("3"), declared("4")]);

  test("makes everything that needs it unknown, in turn, and nothing else", () => {
    expect(spread(chain, { 3: unknown })).toEqual([
      ["SP2003", "It needs store/Box/a:2, whose state is unknown."],
      ["SP2003", "It needs store/Box/a:3, whose state is unknown."],
      ["SP3101", "No answer."],
      ["change"],
    ]);
    const settled = { 1: present(spec("1", "2")), 3: unknown };
    expect(spread(chain, settled)[0]).toEqual(["in sync"]);
  });

  test("can be one that no manifest declares", () => {
    const of = declarations([declared("1", ["x"]), declared("2", ["y"])]);
    expect(spread(of, {}, { x: unknown, y: present(spec("y")) })).toEqual([
      ["SP2003", "It needs store/Box/a:x, whose state is unknown."],
      ["change"],
    ]);
  });

  test("is reported with the service and address of what waits for it", () => {
    const [first] = spreadUnknown(chain, { decided: decidedOf(chain, { 3: unknown }), undeclared: new Map() });
    expect(first?.decision).toStrictEqual({
      is: "unknown",
      problem: {
        code: "SP2003",
        service: "store",
        address: address("1"),
        message: "It needs store/Box/a:2, whose state is unknown.",
      },
    });
  });

  test("has the same effect as one that a person must create, while an existing one has none", () => {
    const byHand: Kind = { ...box, needsPerson: ({ key }: Change) => (key === "a:3" ? "Bring it." : undefined) };
    const of = { ...chain, kinds: new Map([["Box", byHand]]) };
    expect(spread(of)).toEqual([
      ["SP2003", "It needs store/Box/a:2, whose state is unknown."],
      ["SP3005", "It needs store/Box/a:3, which a person has to create first."],
      ["change"],
      ["change"],
    ]);
    const sized = declarations([declared("2", ["3"]), declare({ ...spec("3"), size: 2 })], { kinds: of.kinds });
    expect(spread(sized, { 3: present({ ...spec("3"), size: 1 }) })).toEqual([["change"], ["change"]]);
  });

  test("keeps what it referred to at the base from being deleted, because it may still refer to it", () => {
    const base = [declared("1", ["3"]), declared("2", ["3"]), declared("3"), declared("4")];
    const live = { 1: unknown, 2: present(spec("2", "3")), 3: present(spec("3")), 4: present(spec("4")) };
    const waiting = ["SP2003", "It needs store/Box/a:1, whose state is unknown."];
    expect(spread(declarations([], { base }), live)).toEqual([
      ["SP3101", "No answer."],
      ["change"],
      waiting,
      ["change"],
    ]);
    expect(spread(declarations([declared("1")], { base }), live)[2]).toEqual(waiting);
    expect(spread(declarations([declared("1"), declared("3")], { base }), live)[2]).toEqual(["in sync"]);
  });

  test("keeps what it leaves in place from losing what that refers to", () => {
    const waiting = (name: string) => ["SP2003", `It needs store/Box/a:${name}, whose state is unknown.`];
    const base = [declared("1", ["2"]), declared("2", ["3"]), declared("3")];
    const live = { 1: unknown, 2: present(spec("2", "3")), 3: present(spec("3")) };
    expect(spread(declarations([], { base }), live)).toEqual([["SP3101", "No answer."], waiting("1"), waiting("2")]);
    const moved = declarations([declared("2", ["1"]), declared("1")], { base: [declared("2", ["3"]), declared("3")] });
    expect(spread(moved, live)).toEqual([["SP3101", "No answer."], waiting("1"), waiting("2")]);
  });

  test("is named if it is the first of several", () => {
    const of = declarations([declared("1", ["2", "3"]), declared("2"), declared("3")]);
    expect(spread(of, { 2: unknown, 3: unknown })[0]).toEqual([
      "SP2003",
      "It needs store/Box/a:2, whose state is unknown.",
    ]);
  });
});

describe("a change waits", () => {
  const waits = (of: Declarations, live?: Live) => {
    const decided = decidedOf(of, live);
    const before = dependenciesOf(of, decided);
    const changed = decided.filter(({ decision }) => decision.is === "change");
    return changed.map((one) =>
      [one.address, ...(before.get(one.address) ?? [])].map((name) => name.slice(address("").length)),
    );
  };

  test("for the changes of what it will refer to, each once and in order", () => {
    const of = declarations([declared("1", ["3", "2", "3", "x"]), declared("2"), declared("3")]);
    expect(waits(of)).toEqual([["1", "2", "3"], ["2"], ["3"]]);
    expect(waits(of, { 2: present(spec("2")) })).toEqual([["1", "3"], ["3"]]);
    expect(waits(of, { 1: present(spec("1", "3", "2", "3", "x")) })).toEqual([["2"], ["3"]]);
  });

  test("for the changes of what referred to it, if it is deleted", () => {
    const live = { 1: present(spec("1", "2")), 2: present(spec("2")) };
    const base = [declared("1", ["2"]), declared("2")];
    expect(waits(declarations([], { base }), live)).toEqual([["1"], ["2", "1"]]);
    expect(waits(declarations([declared("1", ["3"])], { base }), live)).toEqual([["1"], ["2", "1"]]);
    const kept = declarations([declared("2")], { base });
    expect(waits(kept, live)).toEqual([["1"]]);
    expect(waits(declarations([declare({ ...spec("2"), size: 1 })], { base }), live)).toEqual([["1"], ["2"]]);
  });
});
