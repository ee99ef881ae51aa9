import { expect, test } from "vitest";
import { schemasLater, withSchemasNamed } from "../../scripts/build/schemas-later.ts";

const source = `import { z } from "zod";
import { Base, listOf } from "./base.ts";
export const Item = z.object({ name: z.string(), get parts() { return z.array(Item); } });
const Items = Item.array().min(1);
export const More = Base.extend({ items: listOf(Items) });
const Lists = listOf(Item);
const Fixed = Object.freeze({ Item: 1 });
export const schemas = () => ({ Item, Items, Lists, More: More.shape.items });
export const names = [Fixed.Item];
`;

/** The module as a bundler leaves it: one file, without imports and exports. */
const bundled = withSchemasNamed(source)
  .replaceAll(/^import .*\n/gm, "")
  .replaceAll(/^export \{.*\n/gm, "")
  .replaceAll("export ", "");

test("a module's schemas get names that nothing else in a bundle has, and are exported under their original names", () => {
  expect(withSchemasNamed(source)).toBe(`import { z } from "zod";
import { Base, listOf } from "./base.ts";
const Item$later = /* @__PURE__ */ __later(() => z.object({ name: z.string(), get parts() { return z.array(Item$later); } }));
const Items$later = /* @__PURE__ */ __later(() => Item$later.array().min(1));
const More$later = /* @__PURE__ */ __later(() => Base.extend({ items: listOf(Items$later) }));
const Lists$later = /* @__PURE__ */ __later(() => listOf(Item$later));
const Fixed = Object.freeze({ Item: 1 });
export const schemas = () => ({ Item: Item$later, Items: Items$later, Lists: Lists$later, More: More$later.shape.items });
export const names = [Fixed.Item];

export { Item$later as Item };
export { More$later as More };
`);
});

test("a bundled schema is created once, on its first use", () => {
  const made: string[] = [];
  const schema = (name: string) => {
    made.push(name);
    return { min: () => schema(`${name}, min`), array: () => schema(`${name}s`), shape: { items: "items" } };
  };
  const z = { object: () => schema("object"), array: () => schema("array"), string: () => undefined };
  const run = new Function("z", "Base", "listOf", `${schemasLater(bundled)}\nreturn schemas;`);
  const schemas = run(z, { extend: () => schema("extend") }, () => schema("list"));
  expect(made).toEqual([]);
  const found = schemas();
  expect(made).toEqual(["object", "objects", "objects, min", "list", "list", "extend"]);
  expect(Object.keys(found)).toEqual(["Item", "Items", "Lists", "More"]);
  expect(schemas().Item).toBe(found.Item);
  expect(made).toHaveLength(6);
});

test("a file without schemas stays as it is", () => {
  expect(schemasLater("const a = { b: 1 };\n")).toBe("const a = { b: 1 };\n");
});
