import { expect, test } from "vitest";
import { mapOnDemand } from "../../src/core/once.ts";
import { listUndeclared } from "../../src/engine/observe/undeclared.ts";
import { serviceOf } from "../clients/fixtures.ts";
import { kinds, loadManifest } from "./support/workspace.ts";

/** The kinds of the tests, and a record of those that were requested. */
function counted() {
  const asked: string[] = [];
  const each = [...kinds].map(([name, kind]) => {
    const make = () => {
      asked.push(name);
      return kind;
    };
    return [name, make] as const;
  });
  return { asked, kinds: mapOnDemand(each) };
}

test("only the kinds that documents name are created", async () => {
  const { asked, kinds } = counted();
  const { resources, problems } = await loadManifest("kind: Rule\nspec: { project: core }\n", { kinds });
  expect([resources.map(({ kind }) => kind), problems]).toEqual([["Rule"], []]);
  expect(asked).toEqual(["Rule"]);
});

test("a search for undeclared objects creates no kind that it does not list", async () => {
  const { asked, kinds } = counted();
  const listing = {
    kinds,
    services: [serviceOf("review"), serviceOf("wiki")],
    desired: [],
    exclusive: [],
    unmanaged: true,
    selected: () => true,
    reaches: () => true,
    readers: () => {
      throw new Error("Nothing is read.");
    },
    now: new Date(0),
  };
  expect(await listUndeclared(listing)).toEqual({ unwanted: [], unmanaged: [], unlisted: [] });
  expect(asked).toEqual([]);
});
