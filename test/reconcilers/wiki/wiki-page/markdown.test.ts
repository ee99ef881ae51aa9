import { describe, expect, test } from "vitest";
import { markdownToStorage } from "../../../../src/reconcilers/wiki/wiki-page/markdown.ts";
import { canonicalMarkup } from "../../../../src/reconcilers/wiki/wiki-page/storage-format.ts";

function rendered(markdown: string): string {
  const { markup, mistakes } = markdownToStorage(markdown);
  expect(mistakes).toEqual([]);
  return canonicalMarkup(markup);
}

describe("renders", () => {
  test.each([
    ["text with references", "R&D &copy; \\&lt; 'q'", "<p>R&amp;D © &amp;lt; 'q'</p>"],
    ["emphasis", "*a* **b** ~~c~~ `d<e`", "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d&lt;e</code></p>"],
    ["breaks and rules", "a\\\nb\n\n---", "<p>a<br/>b</p>\n<hr/>"],
    ["links", '[a](https://x.y/?a=1&b=2 "t")', '<p><a href="https://x.y/?a=1&amp;b=2" title="t">a</a></p>'],
    ["bare links", "https://x.y/?a=1&b=2", '<p><a href="https://x.y/?a=1&amp;b=2">https://x.y/?a=1&amp;b=2</a></p>'],
    ["addresses", "<me@x.y>", '<p><a href="mailto:me@x.y">me@x.y</a></p>'],
    ["relative links", "[a](#b) [c](../d?e:f)", '<p><a href="#b">a</a> <a href="../d?e:f">c</a></p>'],
    ["tasks", "- [x] a\n- [ ] b", "<ul>\n  <li>☑ a</li>\n  <li>☐ b</li>\n</ul>"],
    ["numbered lists", "3. a\n4. b", '<ol start="3">\n  <li>a</li>\n  <li>b</li>\n</ol>'],
    ["headings that are underlined", "a\n=== ", "<h1>a</h1>"],
    ["smaller ones", "b\n-", "<h2>b</h2>"],
    ["underlined headings within others", "> a\n> ===", "<blockquote>\n  <h1>a</h1>\n</blockquote>"],
    [
      "images on the web",
      '![a *b* "c" &amp;](https://x.y/a.png?b=1&c=2 "d")',
      '<p><ac:image ac:alt="a b &quot;c&quot; &amp;" ac:title="d"><ri:url ri:value="https://x.y/a.png?b=1&amp;c=2"/></ac:image></p>',
    ],
    [
      "badges, which are images with links",
      "[![](http://x.y/a.svg)](https://x.y)",
      '<p><a href="https://x.y"><ac:image><ri:url ri:value="http://x.y/a.svg"/></ac:image></a></p>',
    ],
    [
      "HTML that Markdown has no marks for",
      "H<sub>2</sub>O<BR/>x<sup>2</sup> <u>*y*</u>",
      "<p>H<sub>2</sub>O<br/>x<sup>2</sup> <u><em>y</em></u></p>",
    ],
    [
      "breaks in cells",
      "| a |\n|---|\n| b<br>c |",
      "<table>\n  <thead>\n    <tr><th>a</th></tr>\n  </thead>\n  <tbody>\n    <tr><td>b<br/>c</td></tr>\n  </tbody>\n</table>",
    ],
    ["breaks beside paragraphs", "a\n\n<br>\n\nb\n\n<br>\n", "<p>a</p>\n<br/>\n<p>b</p>\n<br/>"],
    ["nothing for comments", "a <!-- b --> c\n\n<!-- d\n e -->", "<p>a c</p>"],
  ])("%s", (_what, markdown, markup) => {
    expect(rendered(markdown)).toBe(markup);
  });

  test("tables, one row per line", () => {
    expect(rendered("| a | b |\n|--:|---|\n| 1 | 2 \\| 3 |")).toBe(`<table>
  <thead>
    <tr><th style="text-align: right;">a</th><th>b</th></tr>
  </thead>
  <tbody>
    <tr><td style="text-align: right;">1</td><td>2 | 3</td></tr>
  </tbody>
</table>`);
  });

  test("code blocks as code macros with their language", () => {
    expect(markdownToStorage("```sql title=x\na < b\n```").markup).toBe(
      '<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">sql</ac:parameter>' +
        "<ac:plain-text-body><![CDATA[a < b]]></ac:plain-text-body></ac:structured-macro>\n",
    );
  });

  test.each([
    ["json", "js"],
    ["TypeScript", "js"],
    ["c++", "cpp"],
    ["sh", "bash"],
    ["yaml", "yml"],
    ["terraform", undefined],
    ["constructor", undefined],
    ["&lt;", undefined],
  ])(
    "the language %s as one that the code macro supports, since it shows an error for any other one",
    (name, language) => {
      const { markup } = markdownToStorage(`\`\`\`${name}\na\n\`\`\``);
      expect(/"language">([^<]*)</.exec(markup)?.[1]).toBe(language);
    },
  );
});

describe("refuses", () => {
  test.each([
    ["raw HTML", "a <b>c</b>", '"<b>" is HTML: write it as storage markup, or its "<" as \\<'],
    [
      "blocks of HTML",
      "<script>x</script>",
      '"<script>x</script>" is HTML: write it as storage markup, or its "<" as \\<',
    ],
    [
      "HTML behind a comment",
      "<!-- a --><i>",
      '"<!-- a --><i>" is HTML: write it as storage markup, or its "<" as \\<',
    ],
    [
      "images that are not on the web",
      "![a](b.png)",
      '"![a](b.png)" is an image without an http or https URL, and attachments are not managed: link to it instead',
    ],
    [
      "images with other schemes",
      "![a](data:image/png;base64,AA)",
      '"![a](data:image/png;base64,AA)" is an image without an http or https URL, and attachments are not managed: link to it instead',
    ],
    [
      "images whose path has a URL",
      "![a](b/https://x.y/c.png)",
      '"![a](b/https://x.y/c.png)" is an image without an http or https URL, and attachments are not managed: link to it instead',
    ],
    [
      "HTML with attributes",
      'a<br class="b">',
      '"<br class=\\"b\\">" is HTML: write it as storage markup, or its "<" as \\<',
    ],
    [
      "a break with more HTML before it",
      "<div>\n<br>\n",
      '"<div>\\n<br>" is HTML: write it as storage markup, or its "<" as \\<',
    ],
    ["text that a break makes HTML", "<br>\nx", '"<br>\\nx" is HTML: write it as storage markup, or its "<" as \\<'],
    [
      "a mark with more HTML before it",
      "<div>\n</u>",
      '"<div>\\n</u>" is HTML: write it as storage markup, or its "<" as \\<',
    ],
    ["text that a mark makes HTML", "<u>\nx", '"<u>\\nx" is HTML: write it as storage markup, or its "<" as \\<'],
    ["HTML that is never closed", "H<sub>2", "line 1, column 11: </p> is out of place: expected </sub> first"],
    ["quotes in quotes", ">".repeat(300), "line 201, column 1: elements are nested more than 200 deep"],
    [
      "quotes in quotes without end",
      ">".repeat(12_000),
      "the text is nested too deeply, or has too many *, _ and [ in one paragraph",
    ],
    [
      "emphasis without end",
      "*a_".repeat(20_000),
      "the text is nested too deeply, or has too many *, _ and [ in one paragraph",
    ],
    [
      "links in links",
      "[[a](b)](c)".repeat(20_000),
      "the text is nested too deeply, or has too many *, _ and [ in one paragraph",
    ],
    [
      "comments without end",
      "<!--".repeat(1_000_000),
      `"${"<!--".repeat(15)}…" is HTML: write it as storage markup, or its "<" as \\<`,
    ],
    ["characters that XML has not", "a\u0007", "line 1, column 5: the character U+0007 is not allowed in XML"],
  ])("%s", (_what, markdown, mistake) => {
    expect(markdownToStorage(markdown).mistakes).toContain(mistake);
  });

  test.each([
    "[a](javascript:alert(1))",
    "[a](JavaScript:alert(1))",
    "[a](java&#115;cript:alert(1))",
    "[a](java&#10;script:alert(1))",
    "[a](javascript&colon;alert(1))",
    "[a](data:text/html,x)",
    "[a](vbscript:x)",
    "<javascript:alert(1)>",
    "[a][b]\n\n[b]: javascript:alert(1)",
  ])("the link %s", (markdown) => {
    expect(markdownToStorage(markdown).mistakes).toEqual([
      expect.stringContaining("is not an http, https, mailto or relative link"),
    ]);
  });
});
