import fc from "fast-check";
import { expect, test } from "vitest";
import { findMistake } from "../../../../src/reconcilers/wiki/wiki-page/well-formed.ts";

test("accepts what the wiki stores", () => {
  expect(
    findMistake(`<h1>Caf&eacute; &amp; &#8594; &#x2192;</h1><!-- note --><p class="a" title='b "c"'>a > b<br /></p>
<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[</p> & <]]></ac:plain-text-body></ac:structured-macro>
<ac:link><ri:page ri:content-title="Home" ri:space-key="OPS"/></ac:link>`),
  ).toBeUndefined();
});

test.each([
  ["an element that is not closed", "<p>\n  <b>x</p>", "line 2, column 7: </p> stands where </b> must come first"],
  ["an element that is never closed", "<p>a</p>\n<p>", "line 2, column 1: <p> is never closed"],
  ["an HTML void element", "<p>a<br>b</p>", "line 1, column 10: </p> stands where </br> must come first"],
  ["a closing tag too many", "a</p>", "line 1, column 2: </p> closes nothing"],
  ["a bare ampersand", "<p>\nR&D</p>", 'line 2, column 2: write "&" as &amp;'],
  ["a bare ampersand in an attribute", `<a href="?a&b">x</a>`, 'line 1, column 1: write "&" as &amp;'],
  ["an unknown entity", "<p>&copyright;</p>", "line 1, column 4: &copyright; stands for no character"],
  ["a reference to a forbidden character", "&#1;", "line 1, column 1: &#1; stands for no character"],
  [
    "a bare less-than",
    "a < b",
    'line 1, column 3: "< b" begins no tag: write "<" as &lt;, and attributes as name="value"',
  ],
  [
    "an attribute without quotes",
    "<p a=1/>",
    'line 1, column 1: "<p a=1/>" begins no tag: write "<" as &lt;, and attributes as name="value"',
  ],
  ["an attribute twice", `<p a="1" a="2"/>`, "line 1, column 1: the attribute a stands twice"],
  ["an unbound prefix", "<x:y/>", 'line 1, column 1: the wiki has no namespace "x" (in x:y); it has ac, ri and at'],
  [
    "an unbound prefix of an attribute",
    `<p x:y="1"/>`,
    'line 1, column 1: the wiki has no namespace "x" (in x:y); it has ac, ri and at',
  ],
  ["an open comment", "<!-- x", "line 1, column 1: the comment is never closed"],
  ["two dashes in a comment", "<!-- a -- b -->", "line 1, column 1: a comment may not contain --"],
  ["open CDATA", "a<![CDATA[", "line 1, column 2: the CDATA section is never closed"],
  ["the end of CDATA in text", "a ]]> b", "line 1, column 1: write ]]> as ]]&gt;"],
  ["a control character", "a\u0007", "line 1, column 2: the character U+0007 may not stand in XML"],
  ["half a character", "a\ud800", "line 1, column 2: the character U+D800 may not stand in XML"],
  [
    "a document type",
    "<!DOCTYPE x>",
    'line 1, column 1: "<!DOCTYPE x>" begins no tag: write "<" as &lt;, and attributes as name="value"',
  ],
  ["nesting without end", "<p>".repeat(201), "line 1, column 601: elements are nested more than 200 deep"],
])("says where there is %s", (_what, markup, mistake) => {
  expect(findMistake(markup)).toBe(mistake);
});

test("the position is that of what was broken, wherever it stands", () => {
  fc.assert(
    fc.property(fc.nat(20), fc.nat(20), (lines, columns) => {
      const markup = `<p>\n${"x\n".repeat(lines)}${"y".repeat(columns)}&</p>`;
      expect(findMistake(markup)).toBe(`line ${lines + 2}, column ${columns + 1}: write "&" as &amp;`);
    }),
  );
});
