import { escapeUTF8 } from "entities/escape";
import { isObject } from "../../core/text/json.ts";
import { escapeXml } from "../../core/text/xml.ts";
import { notModelled, Refusal } from "../refusal.ts";

interface Element {
  readonly name: string;
  readonly class: string | undefined;
  readonly content: readonly Element[] | string;
}

/** Converts a value to elements. Entries of a list are named after the list, without its `s`; the class is an attribute. */
export function xmlElement(name: string, value: unknown): Element {
  if (!isObject(value)) return { name, class: undefined, content: String(value) };
  const { _class, ...fields } = value;
  return {
    name,
    class: typeof _class === "string" ? _class : undefined,
    content: Object.entries(fields).flatMap(([field, inner]) => {
      if (inner === null || inner === undefined) return [];
      if (!Array.isArray(inner)) return [xmlElement(field, inner)];
      return inner.map((entry: unknown) => xmlElement(field.replace(/s$/, ""), entry));
    }),
  };
}

export function xmlText({ name, class: attribute, content }: Element): string {
  const open = attribute === undefined ? name : `${name} _class='${escapeUTF8(attribute)}'`;
  const inner = typeof content === "string" ? escapeXml(content, "content") : content.map(xmlText).join("");
  return inner === "" ? `<${open}/>` : `<${open}>${inner}</${name}>`;
}

const literal = /'[^']*'|"[^"]*"/g;
const quoted = `(?:'[^']*'|"[^"]*")`;
const condition = `\\[[A-Za-z_]\\w*=(?:${quoted}|concat\\(${quoted}(?:,${quoted})*\\))\\]`;
const step = `/(?:\\*|[A-Za-z_]\\w*)(?:${condition})*`;

/**
 * Returns the one element that a path selects. Each step can have conditions on the text of a child. Throws `Refusal`: 404
 * if there is none, 500 if there are several, 501 for an expression of another form.
 */
export function selectXPath(root: Element, xpath: string): Element {
  if (!new RegExp(`^(?:${step})+$`).test(xpath)) throw notModelled(`the XPath expression ${xpath}`);
  const steps = xpath.match(new RegExp(step, "g")) ?? [];
  const document: Element = { name: "", class: undefined, content: [root] };
  const found = steps.reduce<readonly Element[]>(
    (from, one) => from.flatMap(({ content }) => (typeof content === "string" ? [] : content.filter(fits(one)))),
    [document],
  );
  const [only, ...more] = found;
  if (only === undefined) throw new Refusal(404, `XPath ${xpath} didn't match`);
  if (more.length > 0)
    throw new Refusal(
      500,
      `XPath "${xpath}" matched ${found.length} nodes. Create XPath that only matches one, or use the "wrapper" query parameter to wrap them all under a root element.`,
    );
  return only;
}

function fits(one: string): (element: Element) => boolean {
  const [, name = "", rest = ""] = /^\/(\*|\w+)(.*)$/s.exec(one) ?? [];
  const conditions = (rest.match(new RegExp(condition, "g")) ?? []).map((text) => ({
    child: /^\[(\w+)/.exec(text)?.[1],
    wanted: (text.match(literal) ?? []).map((part) => part.slice(1, -1)).join(""),
  }));
  return (element) =>
    (name === "*" || element.name === name) &&
    conditions.every(
      ({ child, wanted }) =>
        typeof element.content !== "string" &&
        element.content.some((inner) => inner.name === child && inner.content === wanted),
    );
}
