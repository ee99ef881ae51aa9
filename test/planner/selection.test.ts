import { describe, expect, test } from "vitest";
import { emptySelections, reaches, type Selection, selects } from "../../src/planner/selection.ts";
import { visible } from "../../src/reports/text/style.ts";
import { declare, gauge } from "../support/fake-kinds.ts";

const everything: Selection = { service: [], kind: [], only: [], label: [] };
const select = (part: Partial<Selection>): Selection => ({ ...everything, ...part });

const box = declare({ shelf: "a", name: "x" }, { labels: { team: "kites", tier: "1=2" } });
const dial = { ...declare({ shelf: "b", name: "y[1]" }, {}, gauge), service: "other", address: "other/Gauge/b:y[1]" };
const all = [box, dial];

describe("a selection", () => {
  test.each<[Partial<Selection>, typeof all]>([
    [{}, all],
    [{ service: ["store"] }, [box]],
    [{ service: ["store", "other"] }, all],
    [{ service: ["shop"] }, []],
    [{ kind: ["Gauge"] }, [dial]],
    [{ kind: ["Box", "Gauge"] }, all],
    [{ service: ["store"], kind: ["Gauge"] }, []],
    [{ only: ["store/Box/a:x"] }, [box]],
    [{ only: ["store/Box/a:"] }, []],
    [{ only: ["Box/a:x"] }, []],
    [{ only: ["*/b:y[1]"] }, [dial]],
    [{ only: ["Box a:x"] }, [box]],
    [{ only: ["* b:*"] }, [dial]],
    [{ only: ["a:x"] }, []],
    [{ only: ["Box a:?"] }, []],
    [{ only: ["nothing", "store/*"] }, [box]],
    [{ only: ["*"], kind: ["Gauge"] }, [dial]],
    [{ label: ["team"] }, [box]],
    [{ label: ["team=kites"] }, [box]],
    [{ label: ["team=kite"] }, []],
    [{ label: ["team="] }, []],
    [{ label: ["tier=1=2"] }, [box]],
    [{ label: ["tier=1"] }, []],
    [{ label: ["team=kites", "tier"] }, [box]],
    [{ label: ["team=kites", "tier=2"] }, []],
    [{ label: ["toString"] }, []],
    [{ label: [""] }, []],
  ])("of %j selects the right resources", (part, selected) => {
    expect(all.filter(selects(select(part)))).toEqual(selected);
  });

  test("of an address with an asterisk selects no other resource, and is a pattern if there is no such resource", () => {
    const [wide, narrow] = ["refs/*:push", "refs/x/*:push"].map((name) => declare({ shelf: "a", name }));
    const known = [wide, narrow].flatMap((one) => one ?? []);
    const chosen = (only: string, among = known) => among.filter(selects(select({ only: [only] }), among));
    expect(chosen("store/Box/a:refs/*:push")).toEqual([wide]);
    expect(chosen("Box a:refs/*:push")).toEqual([wide]);
    expect(chosen("store/Box/a:refs/*")).toEqual([wide, narrow]);
    expect(chosen("store/Box/a:refs/*:push", known.slice(1))).toEqual([narrow]);
  });
});

test("an address with characters that reports escape can be copied from a report", () => {
  const hidden = declare({ shelf: "a", name: "no\u00a0break\u200b \u{e0041}" });
  for (const shown of [visible(hidden.address), visible("Box a:no\u00a0*")]) {
    expect(shown).toContain("\\u{a0}");
    expect(emptySelections(select({ only: [shown] }), [box, hidden])).toEqual([]);
    expect([box, hidden].filter(selects(select({ only: [shown] })))).toEqual([hidden]);
  }
  const literal = declare({ shelf: "a", name: "\\u{a0}" });
  expect([box, literal].filter(selects(select({ only: [literal.address] })))).toEqual([literal]);
});

describe("the live objects of a kind that no manifest names", () => {
  test.each<[Partial<Selection>, boolean]>([
    [{}, true],
    [{ service: ["store"] }, true],
    [{ service: ["shop"] }, false],
    [{ kind: ["Box"] }, true],
    [{ kind: ["Gauge"] }, false],
    [{ service: ["store"], kind: ["Gauge"] }, false],
    [{ service: ["shop"], kind: ["Box"] }, false],
    [{ label: ["team"] }, false],
    [{ only: ["store/Box/a:x"] }, true],
    [{ only: ["store/Box/*"] }, true],
    [{ only: ["store/*"] }, true],
    [{ only: ["*"] }, true],
    [{ only: ["store/Bo*:x"] }, true],
    [{ only: ["store/Boxes/*"] }, false],
    [{ only: ["shop/*"] }, false],
    [{ only: ["Box a:x"] }, true],
    [{ only: ["Bo*"] }, true],
    [{ only: ["Gauge a:x"] }, false],
    [{ only: ["Gauge a:x", "Box *"] }, true],
  ])("are in reach of %j: %s", (part, isReached) => {
    expect(reaches(select(part))("store", "Box")).toBe(isReached);
  });
});

describe("a selection that matches nothing", () => {
  const declared: Readonly<Record<string, string>> = {
    "--service": "store, other",
    "--kind": "Box, Gauge",
    "--label": "team=kites, tier=1=2",
  };
  const nothing = (named: string, meant?: string) => ({
    code: "SP1018",
    message: `${named} matches nothing that the manifests declare.`,
    hint:
      meant === undefined
        ? `The manifests declare ${declared[named.split(" ", 1).join()] ?? all.map(({ address }) => address).join(", ")}.`
        : `Did you mean ${meant}?`,
  });

  const together = (named: string) => ({
    code: "SP1018",
    message: `Together, ${named} match nothing that the manifests declare.`,
    hint: "Each matches something else: leave one out.",
  });

  test.each<[Partial<Selection>, unknown]>([
    [{}, []],
    [{ service: ["store"], kind: ["Box"], only: ["Box a:x"], label: ["team"] }, []],
    [{ service: ["stor", "store"] }, [nothing("--service stor", "store")]],
    [{ kind: ["Boxx"] }, [nothing("--kind Boxx", "Box")]],
    [{ kind: ["Nonesuch"] }, [nothing("--kind Nonesuch")]],
    [{ only: ["store/Box/a:y"] }, [nothing("store/Box/a:y", "store/Box/a:x")]],
    [{ only: ["Box a:*", "nothing/*"] }, [nothing("nothing/*")]],
    [{ only: ["store/Bok/*"] }, [nothing("store/Bok/*", "store/Box/*")]],
    [{ only: ["Guage b:*"] }, [nothing("Guage b:*", "Gauge b:*")]],
    [{ label: ["team=kits"] }, [nothing("--label team=kits", "team=kites")]],
    [{ label: ["tier", "owner"] }, [nothing("--label owner")]],
    [{ service: ["other"], kind: ["Box"] }, [together('"other", "Box"')]],
    [{ only: ["Gauge *"], label: ["team=kites"] }, [together('"team=kites", "Gauge *"')]],
    [
      { service: ["q"], kind: ["q"], only: ["q"], label: ["q"] },
      ["--service q", "--kind q", "q", "--label q"].map((named) => nothing(named)),
    ],
  ])("%j is an error that suggests the nearest name", (part, problems) => {
    expect(emptySelections(select(part), all)).toEqual(problems);
  });

  test("an empty option explains what is expected, since the variable of a script might have been empty", () => {
    expect(emptySelections(select({ service: [""], kind: [""], only: [""], label: [""] }), all)).toMatchObject(
      ["--service", "--kind", "An address", "--label"].map((option) => ({
        code: "SP1018",
        message: `${option} is empty.`,
        hint: expect.stringMatching(/^Expected /),
      })),
    );
  });
});
