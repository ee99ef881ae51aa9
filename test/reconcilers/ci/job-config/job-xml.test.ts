import { describe, expect, test } from "vitest";
import { canonicalXml, xmlMistake } from "../../../../src/reconcilers/ci/job-config/job-xml.ts";

describe("documents that say the same to the server", () => {
  test.each([
    [
      "a declaration, comments and instructions",
      "<a/>",
      "<?xml version='1.1' encoding='UTF-8'?>\n<!-- x -->\n<a></a>\n<?p?>",
    ],
    ["order and quotes of attributes", `<a b="1" c="&quot;"/>`, `<a  c='"' b = '1' />`],
    ["the plugin that wrote an element", `<a><b/></a>`, `<a plugin="x@1.2"><b plugin="y"/></a>`],
    ["white space between elements", "<a><b>1</b><c/></a>", "<a>\n  <b>1</b>\r\n\t<c></c> </a>"],
    ["lines of white space in an element", "<a><b/></a>", "<a><b>\n  </b></a>"],
    ["CDATA or references for text", "<a>&lt;ü&gt; &amp;&#10;x</a>", "<a><![CDATA[<ü>]]> <![CDATA[&\nx]]></a>"],
    ["line ends of text", "<a>x\ny\n</a>", "<a>x\r\ny\r</a>"],
  ])("have one spelling: %s", (_what, one, other) => {
    expect(xmlMistake(other)).toBeUndefined();
    expect(canonicalXml(other)).toBe(canonicalXml(one));
  });

  test("have a spelling in which each element has a line of its own", () => {
    expect(canonicalXml("<a><b x='1'><c>d</c></b><e/></a>")).toBe(
      '<a>\n  <b x="1">\n    <c>d</c>\n  </b>\n  <e/>\n</a>',
    );
  });
});

describe("documents that say something else", () => {
  test.each([
    ["the text of an element", "<a>x</a>", "<a>y</a>"],
    ["spaces in a line of text", "<a> x</a>", "<a>x</a>"],
    ["a space that is all the text", "<a> </a>", "<a/>"],
    ["the value of an attribute", `<a class="x"/>`, `<a class="y"/>`],
    ["the order of elements", "<a><b/><c/></a>", "<a><c/><b/></a>"],
    ["the place of an element", "<a><b/><c/></a>", "<a><b><c/></b></a>"],
  ])("have another spelling: %s", (_what, one, other) => {
    expect(canonicalXml(other)).not.toBe(canonicalXml(one));
  });
});

describe("the first mistake of a document", () => {
  test.each([
    ["", "it has no element"],
    ["<a>\n<b></a>", "line 2: </a> closes another element, or none"],
    ["<a><b>", "<b> is never closed"],
    ["<a/>\n<b/>", "line 2: <b> is a second root element"],
    ["<a/>x", "line 1: text stands outside of the root element"],
    ["&amp;<a/>", "line 1: text stands outside of the root element"],
    ["<a>\n\n& </a>", "line 3: what begins here is no XML"],
    ["<a>&nbsp;</a>", "line 1: what begins here is no XML"],
    ["<a b=1/>", "line 1: what begins here is no XML"],
    ["<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n<a>&x;</a>", "line 1: what begins here is no XML"],
    ["<a>".repeat(201), "line 1: elements are nested more than 200 deep"],
  ])("of %j is named", (document, mistake) => {
    expect(xmlMistake(document)).toBe(mistake);
  });

  test("is found soon in a document of half a megabyte", () => {
    for (const hard of ["<a ", "<a b='", "<!--", "<![CDATA[", "&", "<a b='1' ", "</a"])
      expect(xmlMistake(`<a>${hard.repeat(500_000 / hard.length)}`)).toBeDefined();
  });
});
