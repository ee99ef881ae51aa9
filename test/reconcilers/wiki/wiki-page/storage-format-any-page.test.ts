import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalMarkup, cdata, findMistake } from "../../../../src/reconcilers/wiki/wiki-page/storage-format.ts";

/** A page as a tree; `word` is text without white space at either end. */
type Node =
  | { readonly word: string }
  | { readonly code: string }
  | {
      readonly name: string;
      readonly attributes: Readonly<Record<string, string>>;
      readonly children: readonly Node[];
    };

const word = fc
  .array(fc.constantFrom("a", "Z", "é", "→", "\u00a0", "&", "<", ">", '"', "'", "]]>", "&nbsp;"), { minLength: 1 })
  .map((letters) => ({ word: letters.join("") }));
const attributes = fc.record({ title: fc.string({ unit: "grapheme-ascii" }), class: fc.constantFrom("x", "y") });

function element(name: string, children: fc.Arbitrary<readonly Node[]>): fc.Arbitrary<Node> {
  return fc.record({ name: fc.constant(name), attributes, children });
}

const inline = fc.oneof(
  word,
  element("strong", fc.tuple(word)),
  element("em", fc.tuple(word)),
  element("br", fc.constant([])),
  element("ac:link", fc.tuple(element("ri:page", fc.constant([])))),
);
const code = element(
  "ac:structured-macro",
  fc.tuple(
    element("ac:plain-text-body", fc.tuple(fc.string({ unit: "grapheme-ascii" }).map((text) => ({ code: text })))),
  ),
);
const { block } = fc.letrec<{ block: Node }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 3 },
    element("p", fc.array(inline, { maxLength: 4 })),
    code,
    element(
      "ul",
      fc.array(element("li", fc.array(fc.oneof(inline, tie("block")), { minLength: 1, maxLength: 3 })), {
        maxLength: 3,
      }),
    ),
    element("tr", fc.array(element("td", fc.array(tie("block"), { maxLength: 2 })), { maxLength: 3 })),
    element("blockquote", fc.array(tie("block"), { maxLength: 3 })),
  ),
}));
const page = fc.array(block, { maxLength: 4 });
const containers = ["ul", "tr", "td", "blockquote", "ac:structured-macro", "ac:link"];

/** Ways in which a server might write the same page. */
interface Spelling {
  readonly isReversed: boolean;
  readonly isNumeric: boolean;
  readonly isClosed: boolean;
  readonly isEscaped: boolean;
  readonly space: string;
  readonly extra: string;
}
const spelling: fc.Arbitrary<Spelling> = fc.record({
  isReversed: fc.boolean(),
  isNumeric: fc.boolean(),
  isClosed: fc.boolean(),
  isEscaped: fc.boolean(),
  space: fc.constantFrom("", " ", "\n  ", "\r\n", "<!-- c -->"),
  extra: fc.constantFrom("", ' ac:macro-id="1-2"', ' ri:version-at-save="7"', ' ac:schema-version="1"'),
});

function escaped(text: string, { isNumeric }: Spelling): string {
  const named: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "→": "&rarr;",
  };
  return [...text]
    .map((char) => (isNumeric && !/[a-z ]/i.test(char) ? `&#${char.codePointAt(0)};` : (named[char] ?? char)))
    .join("");
}

function write(node: Node, how: Spelling): string {
  if ("word" in node) return escaped(node.word, how);
  if ("code" in node) return how.isEscaped ? escaped(node.code, how) : cdata(node.code);
  const pairs = Object.entries(node.attributes).map(([key, value]) => ` ${key}="${escaped(value, how)}"`);
  const tag = `${node.name}${(how.isReversed ? pairs.reverse() : pairs).join("")}${how.extra}`;
  if (node.children.length === 0 && !how.isClosed) return `<${tag} />`;
  return `<${tag}>${writeAll(node.children, how, containers.includes(node.name))}</${node.name}>`;
}

function writeAll(nodes: readonly Node[], how: Spelling, isContainer: boolean): string {
  const space = isContainer ? how.space : "";
  return `${space}${nodes.map((node) => write(node, how)).join(space)}${space}`;
}

describe("for any page", () => {
  test("the result is the same, however a server spells it", () => {
    fc.assert(
      fc.property(page, spelling, spelling, (nodes, one, other) => {
        expect(canonicalMarkup(writeAll(nodes, one, true))).toBe(canonicalMarkup(writeAll(nodes, other, true)));
      }),
    );
  });

  test("the result is well-formed, and a second pass changes nothing", () => {
    fc.assert(
      fc.property(page, spelling, (nodes, how) => {
        const once = canonicalMarkup(writeAll(nodes, how, true));
        expect(canonicalMarkup(once)).toBe(once);
        expect(findMistake(once)).toBeUndefined();
      }),
    );
  });

  test("an added word is a difference", () => {
    fc.assert(
      fc.property(page, spelling, (nodes, how) => {
        const longer: readonly Node[] = [...nodes, { name: "p", attributes: {}, children: [{ word: "more" }] }];
        expect(canonicalMarkup(writeAll(longer, how, true))).not.toBe(canonicalMarkup(writeAll(nodes, how, true)));
      }),
    );
  });
});

test("any text has a canonical form, well-formed or not, and a second pass changes nothing", () => {
  const garbage = fc.array(
    fc.constantFrom("<p>", "</p>", "<b>", "</b>", "&", "&lt;", "<", ">", " ", "x", "<!--", "<![CDATA[", "]]>"),
  );
  fc.assert(
    fc.property(garbage, (parts) => {
      const once = canonicalMarkup(parts.join(""));
      expect(canonicalMarkup(once)).toBe(once);
    }),
  );
});
