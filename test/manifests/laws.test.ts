import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../support/any-character.ts";
import { lawRuns } from "../support/worlds/parts.ts";
import { loadFiles, loadManifest } from "./support/workspace.ts";

/** Text composed of parts of manifests, so that more of it gets past the parser. */
const fragments = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."kind: Lock\n|spec:\n|  project: core\n|  branch: ${each}\n|forEach: [a, b]\n|---\n|metadata:\n|&a |*a|[|]|{|}|<<: |? |: |- |\"|'|${var.x}|${env:A}|$${|\t|\r\n|__proto__: 1\n|!!set |%YAML 1.1\n|>\n|1e999|null|# x\n".split(
          "|",
        ),
      ),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

test("whatever a manifest contains, load returns resources and problems and never throws", async () => {
  const contents = fc.oneof(fragments, fc.string({ unit: anyCharacter }), fc.uint8Array({ maxLength: 200 }));
  await fc.assert(
    fc.asyncProperty(contents, async (content) => {
      const { problems, resources } = await loadManifest(content);
      for (const { place } of problems) expect(place?.line).toBeGreaterThan(0);
      expect(Array.isArray(resources)).toBe(true);
    }),
    { numRuns: lawRuns * 50 },
  );
});

test("whatever the workspace file contains, load never throws", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fragments, fc.uint8Array({ maxLength: 200 })), async (content) => {
      const { workspace, problems } = await loadFiles({ "setpoint.yaml": content });
      expect(workspace === undefined).toBe(problems.length > 0);
    }),
    { numRuns: lawRuns * 30 },
  );
});

test("the order of files and documents makes no difference", async () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{2,6}$/), { minLength: 1, maxLength: 8 });
  const cuts = fc.array(fc.nat({ max: 3 }), { minLength: 8, maxLength: 8 });
  const orders = names.chain((list) => fc.shuffledSubarray(list, { minLength: list.length }));
  const declared = async (list: readonly string[], file: (index: number) => number) => {
    const documents = Map.groupBy(list.entries(), ([index]) => `m/${file(index)}.yaml`);
    const files = [...documents].map(([path, entries]) => [
      path,
      entries.map(([, name]) => `kind: Lock\nspec: { project: ${name}, branch: "b" }\n`).join("---\n"),
    ]);
    const { resources, problems } = await loadFiles(Object.fromEntries(files));
    expect(problems).toEqual([]);
    return resources.map(({ place: _place, statedAt: _statedAt, ...resource }) => resource);
  };
  await fc.assert(
    fc.asyncProperty(orders, cuts, async (order, cut) => {
      const sorted = await declared(order.toSorted(), () => 0);
      expect(await declared(order, (index) => cut[index] ?? 0)).toEqual(sorted);
    }),
    { numRuns: lawRuns * 12 },
  );
});

test("text without placeholders stays as it is", async () => {
  const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((value) => !value.includes("${"));
  await fc.assert(
    fc.asyncProperty(text, async (note) => {
      const { resources, problems } = await loadManifest(
        JSON.stringify({ kind: "Account", spec: { name: "a", note } }),
      );
      expect(problems).toEqual([]);
      expect(resources[0]?.spec).toEqual({ name: "a", note });
    }),
    { numRuns: lawRuns * 30 },
  );
});

test("the value of a variable is used as it is, whatever it contains", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), async (value) => {
      const text = "kind: Account\nspec: { name: a, note: '${var.v}' }\n";
      const { resources, problems } = await loadManifest(text, { variables: { v: value } });
      expect(problems).toEqual([]);
      expect(resources[0]?.spec).toEqual({ name: "a", note: value });
    }),
    { numRuns: lawRuns * 20 },
  );
});
