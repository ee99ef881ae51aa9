import { describe, expect, test } from "vitest";
import { canonicalMarkup, cdata, findMistake } from "../../../../src/reconcilers/wiki/wiki-page/storage-format.ts";

describe("equivalent markup has one canonical form:", () => {
  test.each([
    ["order and quotes of attributes", `<p class="a" id='b'>x</p>`, `<p id="b" class="a">x</p>`],
    ["empty elements", `<p>a<br></br>b</p><p></p>`, `<p>a<br />b</p><p/>`],
    ["white space between blocks", `<ul>\n  <li>\n a </li>\r\n</ul>`, `<ul><li>a</li></ul>`],
    ["line breaks within text", `<p>a\n   b</p>`, `<p>a b</p>`],
    ["entities", `<p>&rarr; &#233; &quot;x&quot; &nbsp;</p>`, `<p>→ é "x" \u00a0</p>`],
    [
      "CDATA and text",
      `<ac:plain-text-body>a &lt; b</ac:plain-text-body>`,
      `<ac:plain-text-body><![CDATA[a < b]]></ac:plain-text-body>`,
    ],
    ["comments", `<p>a<!-- note -->b</p>`, `<p>ab</p>`],
    [
      "what the server adds",
      `<ac:structured-macro ac:name="toc" ac:schema-version="1" ac:macro-id="7f"/>`,
      `<ac:structured-macro ac:name="toc"/>`,
    ],
    [
      "versions of attachments",
      `<ac:link><ri:attachment ri:filename="a" ri:version-at-save="3"/></ac:link>`,
      `<ac:link> <ri:attachment ri:filename="a"/> </ac:link>`,
    ],
    [
      "the order of a macro's parameters",
      `<ac:structured-macro ac:name="code"><ac:parameter ac:name="title">a</ac:parameter><ac:parameter ac:name="language">sh</ac:parameter><ac:plain-text-body>b</ac:plain-text-body></ac:structured-macro>`,
      `<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">sh</ac:parameter><ac:parameter ac:name="title">a</ac:parameter><ac:plain-text-body>b</ac:plain-text-body></ac:structured-macro>`,
    ],
    [
      "ids that the server gives to tasks and macros",
      `<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-uuid>3f</ac:task-uuid><ac:task-status>incomplete</ac:task-status></ac:task></ac:task-list><ac:structured-macro ac:name="toc" ac:local-id="5c"/>`,
      `<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>incomplete</ac:task-status></ac:task></ac:task-list><ac:structured-macro ac:name="toc"/>`,
    ],
    [
      "readers' comments on a part of the text",
      `<p>Lorem <ac:inline-comment-marker ac:ref="e8e647e6-b612-4123-b1bb-3f5fd6d89c10">Ipsum</ac:inline-comment-marker> etc.</p>`,
      `<p>Lorem Ipsum etc.</p>`,
    ],
    [
      "readers' comments within words, around elements and in one another",
      `<p>a<ac:inline-comment-marker ac:ref="1">b <ac:inline-comment-marker ac:ref="2"><strong>c</strong> </ac:inline-comment-marker></ac:inline-comment-marker>d</p>`,
      `<p>ab <strong>c</strong> d</p>`,
    ],
    ["line ends written as references", `<p>a&#13;b</p>`, `<p>a b</p>`],
    ["b and i", `<p><b>a</b><i>b</i></p>`, `<p><strong>a</strong><em>b</em></p>`],
  ])("%s", (_what, one, other) => {
    expect(canonicalMarkup(one)).toBe(canonicalMarkup(other));
  });
});

describe("different markup stays different:", () => {
  test.each([
    ["a space between words", `<p>a <strong>b</strong></p>`, `<p>a<strong>b</strong></p>`],
    [
      "a space beside a macro in a line",
      `<p>a <ac:structured-macro ac:name="status"/></p>`,
      `<p>a<ac:structured-macro ac:name="status"/></p>`,
    ],
    [
      "a space beside a macro and text",
      `<td>a <ac:structured-macro ac:name="status"/></td>`,
      `<td>a<ac:structured-macro ac:name="status"/></td>`,
    ],
    [
      "a space beside a macro and an inline element",
      `<li><em>a</em> <ac:structured-macro ac:name="status"/></li>`,
      `<li><em>a</em><ac:structured-macro ac:name="status"/></li>`,
    ],
    [
      "a space between macros in a line",
      `<p><ac:structured-macro ac:name="a"/> <ac:structured-macro ac:name="b"/></p>`,
      `<p><ac:structured-macro ac:name="a"/><ac:structured-macro ac:name="b"/></p>`,
    ],
    ["a space that does not break", `<p>a&nbsp;b</p>`, `<p>a b</p>`],
    [
      "white space in code",
      `<ac:plain-text-body><![CDATA[a\n  b]]></ac:plain-text-body>`,
      `<ac:plain-text-body><![CDATA[a\nb]]></ac:plain-text-body>`,
    ],
    ["white space in pre", `<pre> a</pre>`, `<pre>a</pre>`],
    [
      "white space in a parameter",
      `<ac:parameter ac:name="t">a  b</ac:parameter>`,
      `<ac:parameter ac:name="t">a b</ac:parameter>`,
    ],
    ["escaped markup", `<p>&lt;br/&gt;</p>`, `<p><br/></p>`],
    ["an escaped entity", `<p>&amp;nbsp;</p>`, `<p>&nbsp;</p>`],
    ["an attribute", `<a href="x">a</a>`, `<a href="y">a</a>`],
  ])("%s", (_what, one, other) => {
    expect(canonicalMarkup(one)).not.toBe(canonicalMarkup(other));
  });
});

test("a changed cell is a changed line", () => {
  expect(
    canonicalMarkup(
      `<h1>Calendar</h1><table><tbody><tr><th>Release</th><th>Day</th></tr><tr><td>2.4 GA</td><td>1 March</td></tr></tbody></table>`,
    ),
  ).toBe(`<h1>Calendar</h1>
<table>
  <tbody>
    <tr><th>Release</th><th>Day</th></tr>
    <tr><td>2.4 GA</td><td>1 March</td></tr>
  </tbody>
</table>`);
});

test("a list in a list, and in a row, has lines of its own", () => {
  expect(
    canonicalMarkup(
      `<ul><li>a <em>b</em><ul><li>c</li></ul>d</li></ul><tr><td>e</td><td><ul><li>f</li></ul></td></tr>`,
    ),
  ).toBe(`<ul>
  <li>
    a <em>b</em>
    <ul>
      <li>c</li>
    </ul>
    d
  </li>
</ul>
<tr>
  <td>e</td>
  <td>
    <ul>
      <li>f</li>
    </ul>
  </td>
</tr>`);
});

test("a page can have more lines than a call can have arguments", () => {
  const count = 200_000;
  const lines = canonicalMarkup(`<ul>${"<hr/>".repeat(count)}</ul>`).split("\n");
  expect([lines.length, ...lines.slice(0, 2), ...lines.slice(-1)]).toEqual([count + 2, "<ul>", "  <hr/>", "</ul>"]);
});

test("code keeps its lines as they are", () => {
  expect(
    canonicalMarkup(
      `<ac:structured-macro ac:name="code"><ac:plain-text-body>${cdata("if (a < b)\n  c[d[0]]>e")}</ac:plain-text-body></ac:structured-macro>`,
    ),
  ).toBe(`<ac:structured-macro ac:name="code">
  <ac:plain-text-body><![CDATA[if (a < b)
  c[d[0]]]]><![CDATA[>e]]></ac:plain-text-body>
</ac:structured-macro>`);
});

describe("an error in markup", () => {
  test("is never reported for what the wiki itself stores", () => {
    expect(
      findMistake(`<h1>Caf&eacute; &amp; &#8594; &#x2192;</h1><!-- note --><p class="a" title='b "c"'>a > b<br /></p>
<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[</p> & <]]></ac:plain-text-body></ac:structured-macro>
<ac:link><ri:page ri:content-title="Home" xml:lang="en"/></ac:link>`),
    ).toBeUndefined();
  });

  test.each([
    ["what is not well-formed", "<p>\nR&D</p>", 'line 2, column 2: write "&" as &amp;'],
    [
      "an unbound prefix",
      "<p>\r\n<x:y/></p>",
      'line 2, column 1: the wiki has no namespace "x" (in x:y); it has ac, ri and at',
    ],
    [
      "an unbound prefix of an attribute",
      `<p x:y="1"/>`,
      'line 1, column 1: the wiki has no namespace "x" (in x:y); it has ac, ri and at',
    ],
  ])("is %s", (_what, markup, mistake) => {
    expect(findMistake(markup)).toBe(mistake);
  });
});
