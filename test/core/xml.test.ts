import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeXml, mistakeAt, readDocument, readFragment, type XmlReading } from "../../src/core/text/xml.ts";

const noTag = 'does not begin a tag: write "<" as &lt;, and attributes as name="value"';

function mistakeOf(reading: XmlReading): string | undefined {
  return reading.is === "malformed" ? reading.mistake : undefined;
}

/** The text of a document's root, if it is well-formed. */
function textIn(document: string): string | undefined {
  const reading = readDocument(document);
  return reading.is === "read"
    ? reading.root.children.map((node) => (node.is === "element" ? "" : node.text)).join("")
    : undefined;
}

describe("a fragment", () => {
  test("is read as a tree, with prefixed names and the entities of HTML", () => {
    expect(readFragment(`&rarr;<!-- c -->\r\n<ac:b t='&quot;&auml;'>x &lt;<i/><![CDATA[a < b]]></ac:b>]]&gt;`)).toEqual(
      {
        is: "read",
        root: expect.objectContaining({
          children: [
            { is: "text", text: "→" },
            { is: "comment", text: " c " },
            { is: "text", text: "\n" },
            {
              is: "element",
              name: "ac:b",
              start: 17,
              attributes: { t: '"ä' },
              children: [
                { is: "text", text: "x <" },
                { is: "element", name: "i", attributes: {}, children: [], start: 46 },
                { is: "cdata", text: "a < b" },
              ],
            },
            { is: "text", text: "]]>" },
          ],
        }),
      },
    );
  });

  test.each([
    ["an element that is not closed", "<p>\n  <b>x</p>", "line 2, column 7: </p> is out of place: expected </b> first"],
    ["an element that is never closed", "<p>a</p>\n<p>", "line 2, column 1: <p> is never closed"],
    ["an HTML void element", "<p>a<br>b</p>", "line 1, column 10: </p> is out of place: expected </br> first"],
    ["a closing tag too many", "a</p>", "line 1, column 2: </p> has no start tag"],
    ["the end of what is around it", "a</_>", "line 1, column 2: </_> has no start tag"],
    ["a bare ampersand", "<p>\nR&D</p>", 'line 2, column 2: write "&" as &amp;'],
    ["a bare ampersand before a reference", "<p>\nR & D &amp; S</p>", 'line 2, column 3: write "&" as &amp;'],
    ["a bare ampersand in an attribute", `<a href="?a&b">x</a>`, 'line 1, column 12: write "&" as &amp;'],
    ["a reference without its end", "<p>&copy</p>", 'line 1, column 4: write "&" as &amp;'],
    ["an unknown entity", "<p>&copyright;</p>", "line 1, column 4: &copyright; is not a character"],
    ["an entity that objects have", "&constructor;", "line 1, column 1: &constructor; is not a character"],
    ["a reference to a forbidden character", "&#1;", "line 1, column 1: &#1; is not a character"],
    ["a bare less-than", "a < b", `line 1, column 3: "< b" ${noTag}`],
    ["a bare less-than at the end", "a <", `line 1, column 3: "<" ${noTag}`],
    ["an attribute without quotes", "<p a=1/>", `line 1, column 1: "<p a=1/>" ${noTag}`],
    ["an attribute without quotes after a comment", "<!-- --><p a=1/>", `line 1, column 9: "<p a=1/>" ${noTag}`],
    ["an attribute that does not end", `<p a="1`, `line 1, column 1: "<p a=\\"1" ${noTag}`],
    ["an attribute twice", `<p a="1" a="2"/>`, "line 1, column 1: duplicate attribute a"],
    ["an open comment", "<p><!-- x</p>", "line 1, column 4: the comment is never closed"],
    ["two dashes in a comment", "<!-- a -- b -->", "line 1, column 8: a comment must not contain --"],
    ["open CDATA", "a<![CDATA[", "line 1, column 2: the CDATA section is never closed"],
    ["the end of CDATA in text", "a ]]> b", "line 1, column 3: write ]]> as ]]&gt;"],
    ["a control character", "a\u0007", "line 1, column 2: the character U+0007 is not allowed in XML"],
    ["half a character", "a\ud800", "line 1, column 2: the character U+D800 is not allowed in XML"],
    ["the other half, before text", "\n\udc00x", "line 2, column 1: the character U+DC00 is not allowed in XML"],
    [
      "a document type",
      "<!DOCTYPE x>",
      'line 1, column 1: "<!DOCTYPE x>" is not allowed here: inappropriately located doctype declaration',
    ],
    [
      "a processing instruction",
      "<b/><?p?>",
      'line 1, column 5: "<?p?>" is not allowed here: processing instructions are not read',
    ],
    ["nesting without end", "<p>".repeat(50_000), "line 1, column 601: elements are nested more than 200 deep"],
  ])("with %s is malformed", (_what, text, mistake) => {
    expect(mistakeOf(readFragment(text))).toBe(mistake);
  });

  test("reports the place of an error, wherever it is and whatever the line endings", () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), fc.constantFrom("\n", "\r\n", "\r"), (lines, columns, end) => {
        const text = `<p>${end}${`x😀&lt;${end}`.repeat(lines)}${"y".repeat(columns)}& b${end};</p>`;
        expect(mistakeOf(readFragment(text))).toBe(`line ${lines + 2}, column ${columns + 1}: write "&" as &amp;`);
      }),
    );
  });
});

describe("a document", () => {
  test("has one root, and can have a declaration, comments and processing instructions around it", () => {
    expect(
      readDocument("\ufeff<?xml version='1.1' encoding='UTF-8'?>\n<!-- x -->\n<a><?q?><b/></a>\n<?p?>"),
    ).toMatchObject({
      is: "read",
      root: { name: "a", children: [{ name: "b" }] },
    });
  });

  test("of XML 1.1, or without a declaration, can contain references to control characters", () => {
    expect(textIn("<?xml version='1.1'?><a>&#27;</a>")).toBe("\u001b");
    expect(textIn("<a>&#27;</a>")).toBe("\u001b");
    expect(textIn("<?xml version='1.0'?><a>&#27;</a>")).toBeUndefined();
  });

  test.each([
    ["", "line 1, column 1: it has no element"],
    ["<!-- x -->", "line 1, column 11: it has no element"],
    ["<a>\n<b></a>", "line 2, column 4: </a> is out of place: expected </b> first"],
    ["<a><b>", "line 1, column 4: <b> is never closed"],
    ["<a/></a>", "line 1, column 5: </a> has no start tag"],
    ["<a/>\n<b/>", "line 2, column 1: a second root element begins"],
    ["<a/>\n  x <!-- -->", "line 2, column 3: text is outside of the root element"],
    ["&amp;<a/>", "line 1, column 1: text is outside of the root element"],
    ["<a>\n\n& </a>", 'line 3, column 1: write "&" as &amp;'],
    ["<a>&nbsp;</a>", "line 1, column 4: &nbsp; is not a character"],
    ["<a b=1/>", `line 1, column 1: "<a b=1/>" ${noTag}`],
    [
      " <?xml version='1.1'?><a/>",
      `line 1, column 2: "<?xml version='1.1'?><a/>" is not allowed here: an XML declaration must be at the start of the document`,
    ],
    [
      "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n<a>&x;</a>",
      `line 1, column 1: "<!DOCTYPE a [<!ENTITY x SYSTEM" is not allowed here: document type declarations are not read`,
    ],
    ["<a>".repeat(201), "line 1, column 601: elements are nested more than 200 deep"],
  ])("such as %j is malformed", (text, mistake) => {
    expect(mistakeOf(readDocument(text))).toBe(mistake);
  });
});

test("escaped text is read back unchanged, in content and in an attribute", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", " ", "&", "<", ">", '"', "'", "]]>", "\t", "\n", "\r", "\u001b", "\u2028", "é"),
  });
  fc.assert(
    fc.property(text, (value) => {
      const document = `<a b="${escapeXml(value, "attribute")}">${escapeXml(value, "content")}</a>`;
      expect(readDocument(document)).toMatchObject({ is: "read", root: { attributes: { b: value } } });
      expect(textIn(document)).toBe(value);
    }),
  );
});

test("an error is placed by line and column, and any line ending counts as one character", () => {
  expect(mistakeAt("a\r\nbc", 3, "wrong")).toBe("line 2, column 2: wrong");
});
