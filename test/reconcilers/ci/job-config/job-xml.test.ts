import { describe, expect, test } from "vitest";
import { canonicalXml, withoutAdditions } from "../../../../src/reconcilers/ci/job-config/job-xml.ts";

describe("documents that mean the same to the server", () => {
  test.each([
    [
      "a declaration, comments and instructions",
      "<a/>",
      "<?xml version='1.1' encoding='UTF-8'?>\n<!-- x -->\n<a></a>\n<?p?>",
    ],
    ["order and quotes of attributes", `<a b="1" c="&quot;"/>`, `<a  c='"' b = '1' />`],
    ["the plugin that wrote an element", `<a><b/></a>`, `<a plugin="x@1.2"><b plugin="y"/></a>`],
    ["white space between elements", "<a><b>1</b><c/></a>", "<a>\n  <b>1</b>\r\n\t<c></c> </a>"],
    ["spaces between elements", "<a><b/><c/></a>", "<a> <b/> <c/> </a>"],
    ["a comment in text", "<a>xy</a>", "<a>x<!-- z -->y</a>"],
    ["lines of white space in an element", "<a><b/></a>", "<a><b>\n  </b></a>"],
    ["CDATA or references for text", "<a>&lt;ü&gt; &amp;&#10;x</a>", "<a><![CDATA[<ü>]]> <![CDATA[&\nx]]></a>"],
    ["the class of triggers", "<a><triggers><b/></triggers></a>", "<a><triggers class='vector'><b/></triggers></a>"],
    ["actions of the job", "<a><b/></a>", "<a><actions><x.Y/></actions><b/></a>"],
    ["line ends of text", "<a>x\ny\n</a>", "<a>x\r\ny\r</a>"],
    ["line ends of XML 1.1", "<a>x\n\n</a>", "<?xml version='1.0'?><a>x\u2028\u0085</a>"],
  ])("have one spelling: %s", (_what, one, other) => {
    expect(canonicalXml(other)).toBe(canonicalXml(one));
  });

  test("have a canonical form with each element on its own line", () => {
    expect(canonicalXml("<a><b x='1'><c>d</c></b><e/></a>")).toBe(
      '<a>\n  <b x="1">\n    <c>d</c>\n  </b>\n  <e/>\n</a>',
    );
  });
});

describe("a pipeline's fields that the server moves to properties when it loads the job", () => {
  const at = "org.jenkinsci.plugins.workflow.job.properties";
  const [single, timed] = [`${at}.DisableConcurrentBuildsJobProperty`, `${at}.PipelineTriggersJobProperty`];
  const timer =
    "<triggers>\n<hudson.triggers.TimerTrigger><spec>@daily</spec></hudson.triggers.TimerTrigger>\n</triggers>";
  const job = (inner: string) => `<flow-definition>${inner}</flow-definition>`;
  const withProperties = (inner: string) => job(`<a>1</a><properties>${inner}</properties>`);

  test.each([
    [
      "one build at a time",
      job("<a>1</a><concurrentBuild>false</concurrentBuild>"),
      withProperties(`<${single}><abortPrevious>false</abortPrevious></${single}>`),
    ],
    [
      "one build at a time, which aborts the one before",
      job(`<a>1</a><properties><${single}><b>1</b></${single}></properties><concurrentBuild>false</concurrentBuild>`),
      withProperties(`<${single}><b>1</b></${single}>`),
    ],
    ["builds at the same time", job("<a>1</a><concurrentBuild>true</concurrentBuild>"), job("<a>1</a>")],
    [
      "a field with a comment",
      job("<a>1</a><concurrentBuild>true<!-- as always --></concurrentBuild>"),
      job("<a>1</a>"),
    ],
    [
      "builds at the same time although a property says otherwise",
      job(`<a>1</a><properties><x.Y/><${single}/></properties><concurrentBuild>true</concurrentBuild>`),
      withProperties("<x.Y/>"),
    ],
    [
      "triggers, and other properties",
      job(`<a>1</a>${timer.replace("<triggers>", "<triggers class='vector'>")}<properties><x.Y/></properties>`),
      withProperties(`<x.Y/><${timed}>${timer}</${timed}>`),
    ],
    [
      "triggers in place of others",
      job(`<a>1</a><properties><${timed}><triggers/></${timed}></properties>${timer}`),
      withProperties(`<${timed}>${timer}</${timed}>`),
    ],
    [
      "fields of other jobs",
      job(
        "<canRoam>true</canRoam><a>1</a><blockBuildWhenDownstreamBuilding>false</blockBuildWhenDownstreamBuilding><blockBuildWhenUpstreamBuilding>false</blockBuildWhenUpstreamBuilding>",
      ),
      job("<a>1</a>"),
    ],
    ["no triggers", job("<a>1</a><triggers>\n</triggers>"), job("<a>1</a><triggers/>")],
    [
      "none, because only a pipeline has them",
      "<project><a>1</a></project>",
      "<project><a>1</a><concurrentBuild>false</concurrentBuild></project>",
    ],
  ])("are no difference: %s", (_what, stated, live) => {
    expect(canonicalXml(withoutAdditions(live, stated))).toBe(canonicalXml(stated));
    expect(canonicalXml(withoutAdditions(stated, stated))).toBe(canonicalXml(stated));
  });

  test.each([
    ["a pipeline that may build at the same time", job("<concurrentBuild>false</concurrentBuild>"), job("")],
    ["another trigger", job(timer), job(timer.replace("daily", "hourly"))],
    ["no trigger", job(timer), job("<triggers/>")],
    ["a field of other jobs", "<project><canRoam>true</canRoam></project>", "<project/>"],
    ["another type of job", "<project><concurrentBuild>true</concurrentBuild></project>", "<project/>"],
    ["a value that is none", job("<concurrentBuild>maybe</concurrentBuild>"), job("")],
  ])("are a difference from %s", (_what, stated, live) => {
    expect(canonicalXml(withoutAdditions(live, stated))).not.toBe(canonicalXml(stated));
  });
});

describe("documents that mean something else", () => {
  test.each([
    ["the text of an element", "<a>x</a>", "<a>y</a>"],
    ["a line of text", "<a>x\ny</a>", "<a>x\nz</a>"],
    ["text beside elements", "<a>x<b/></a>", "<a>y<b/></a>"],
    ["spaces in a line of text", "<a> x</a>", "<a>x</a>"],
    ["a space that is all the text", "<a> </a>", "<a/>"],
    ["the value of an attribute", `<a class="x"/>`, `<a class="y"/>`],
    ["the order of elements", "<a><b/><c/></a>", "<a><c/><b/></a>"],
    ["actions of something else", "<a><b/></a>", "<a><b><actions/></b></a>"],
    ["the place of an element", "<a><b/><c/></a>", "<a><b><c/></b></a>"],
  ])("have another spelling: %s", (_what, one, other) => {
    expect(canonicalXml(other)).not.toBe(canonicalXml(one));
  });
});

test("text that is not well-formed stays as it is", () => {
  expect(canonicalXml("<a><b></a>")).toBe("<a><b></a>");
});

test("the canonical form is itself a document in canonical form", () => {
  const hard = `<a b="&quot;&#10;&lt;">&#27;&#13;&#160;x</a>`;
  expect(canonicalXml(canonicalXml(hard))).toBe(canonicalXml(hard));
  expect(canonicalXml(hard)).toBe('<a b="&quot;&#10;&lt;">&#27;&#13;\u00a0x</a>');
});

describe("a live document without what the server added to the stated one", () => {
  const map =
    "<m class='java.util.concurrent.ConcurrentHashMap'><entry><string>scm</string><scm-property><a>false</a></scm-property></entry></m>";

  test.each([
    ["<p><a>1</a></p>", "<p><a>1</a><b/><c>false</c><d>0</d><e plugin='x@1'>\n<f/>\n</e></p>"],
    ["<p/>", "<p><scm class='hudson.scm.NullSCM'/><x class='boolean'>false</x></p>"],
    ["<p/>", `<p>${map}</p>`],
    ["<p/>", "<p><a class='list'/><b class='empty-list'/></p>"],
    // What jenkins-job-builder writes for git, and the plugin reads but never writes.
    [
      "<scm><disableSubmodules>false</disableSubmodules><gitTool>Default</gitTool><reference/><s class='list'/></scm>",
      "<scm><gitTool>Default</gitTool></scm>",
    ],
    ["<p><a><b>1</b></a><a/></p>", "<p><a><b>1</b><c/></a><a><c/></a></p>"],
    ["<p><b><d>1</d><c>2</c></b><a>3</a></p>", "<p><a>3</a><e/><b><c>2</c><d>1</d></b></p>"],
  ])("%s stands for %s", (stated, live) => {
    expect(canonicalXml(withoutAdditions(live, stated))).toBe(canonicalXml(stated));
  });

  test.each([
    ["a field with a value", "<p/>", "<p><canRoam>true</canRoam></p>"],
    ["a value instead of the stated one", "<p><a>true</a></p>", "<p><a>false</a></p>"],
    ["nothing instead of a stated value", "<p><a>true</a></p>", "<p/>"],
    ["nothing instead of an entry", "<p><x.A/></p>", "<p/>"],
    ["nothing instead of an empty text", "<p><string/></p>", "<p/>"],
    ["nothing instead of entries of one name", "<p><a/><a/></p>", "<p/>"],
    ["nothing instead of a key", "<entry><a/><b>1</b></entry>", "<entry><b>1</b></entry>"],
    ["an entry of a list", "<p><steps/></p>", "<p><steps><hudson.tasks.Shell/></steps></p>"],
    ["an entry beside others of its name", "<p><a>1</a></p>", "<p><a>1</a><a/></p>"],
    ["an object of a class", "<p/>", "<p><scm class='hudson.plugins.git.GitSCM'/></p>"],
    ["an attribute", "<p/>", "<p><a b='1'/></p>"],
    ["another order of entries, which are classes", "<p><x.A/><x.B/></p>", "<p><x.B/><x.A/></p>"],
    ["another order of entries, one of which is a class", "<p><x.A/><b/></p>", "<p><b/><x.A/></p>"],
    ["another order of entries of one name", "<p><a>1</a><a>2</a><b/></p>", "<p><b/><a>2</a><a>1</a></p>"],
    ["the key and the value of a map's entry", "<p><entry><a/><b/></entry></p>", "<p><entry><b/><a/></entry></p>"],
    ["an entry of a map", "<p/>", `<p>${map.replace("false", "true")}</p>`],
  ])("still has %s", (_what, stated, live) => {
    expect(withoutAdditions(live, stated)).toBe(live);
  });

  test("keeps a field that the stated one lacks in its place, after the one before it", () => {
    expect(withoutAdditions("<p><w>2</w><a/><x>1</x><b/></p>", "<p><b/><a/></p>")).toBe(
      "<p>\n  <w>2</w>\n  <b/>\n  <a/>\n  <x>1</x>\n</p>",
    );
  });

  test("is the live text if one of the two is not a document", () => {
    expect([withoutAdditions("<p>", "<p/>"), withoutAdditions("<p><b/></p>", "<p>")]).toEqual(["<p>", "<p><b/></p>"]);
  });
});
