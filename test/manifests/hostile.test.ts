import { expect, test } from "vitest";
import { line, loadFiles, loadManifest, mistakes, workspaceText } from "./support/workspace.ts";

/** A number of characters close to the largest file. */
const long = 500_000;
/** A number of repetitions beyond any depth of the call stack. */
const often = 20_000;
const tooManyBytes =
  "With this, the manifests expand to more than 67,108,864 bytes through aliases, variables, forEach and files. | Declare less, or raise limits.bytes in the workspace file.";
const tooManyResources =
  "With this, the manifests declare more than 20,000 resources. | Declare less, or raise limits.resources in the workspace file.";
const good = "kind: Account\nspec: { name: good }\n";

test.each(["[", "{a: ", "- ", "? ", "a: ", "- ? ", "[{a: ", "[? "])(
  "endless nesting with %j is stopped",
  async (level) => {
    const { problems, resources } = await loadFiles({
      "m/a.yaml": level.repeat(100_000 / level.length),
      "m/b.yaml": good,
    });
    expect(problems.map(({ code, message, hint }) => `${code} ${message} ${hint}`)).toEqual([
      "SP1011 Values are nested deeper than 100 levels. Declare less, or raise limits.depth in the workspace file.",
    ]);
    expect(resources).toHaveLength(1);
  },
);

test("a hundred levels are accepted, whether written out or reached through aliases", async () => {
  const nested = (levels: number, core: string) => `${"[".repeat(levels)}${core}${"]".repeat(levels)}`;
  const deep = "SP1011 Values are nested deeper than 100 levels.";
  const text = (value: string) => `kind: Account\nspec: { name: a, note: ${value} }\n`;
  expect((await loadManifest(text(nested(98, "x")))).problems.map(({ code }) => code)).toEqual(["SP1002"]);
  expect((await mistakes(text(nested(99, "x")))).join()).toContain(deep);
  const chain = `a: &a ${nested(60, "x")}\nb: &b ${nested(60, "*a")}\n`;
  expect((await mistakes(chain)).join()).toContain(deep);
});

test.each(["&a ", "! ", "[]", "%\n", "]", '"\n"', "*a ", "...\n", "---\n", "|\n", "a:\n", ", ", "${", "a: b: "])(
  "%j repeated many times is at most an error",
  async (text) => {
    const { resources } = await loadFiles({ "m/a.yaml": text.repeat(often), "m/b.yaml": good });
    expect(resources.map(({ key }) => key)).toEqual(["good"]);
  },
);

test("only the first syntax error of a document is reported", async () => {
  expect(await mistakes("]".repeat(1000))).toHaveLength(1);
});

test("a file with more than a thousand errors is abandoned", async () => {
  const { problems } = await loadManifest(
    Array.from({ length: 3000 }, (_none, index) => `kind: K${index}\n`).join("---\n"),
  );
  expect(problems).toHaveLength(1001);
  expect(problems.map(({ code }) => code)).toContain("SP1011");
});

test("aliases cannot expand without bounds", async () => {
  const levels = Array.from({ length: 30 }, (_none, index) => {
    const before = index === 0 ? "x" : `*a${index - 1}`;
    return `a${index}: &a${index} [${Array.from({ length: 10 }, () => before).join()}]\n`;
  });
  expect(await mistakes(levels.join(""))).toEqual([`6:42+3 SP1011 ${tooManyBytes}`]);
});

test("an alias of an earlier anchor is followed, and any other is an error", async () => {
  const shared = "kind: Lock\nmetadata: { labels: { a: &x one, b: *x } }\nspec: { project: *x, branch: *x }\n";
  expect((await loadManifest(shared)).resources[0]?.spec).toEqual({ project: "one", branch: "one" });
  expect(await mistakes("kind: Account\nspec: { name: *later }\n")).toEqual([
    "2:15+6 SP1001 There is no anchor &later before this alias. | Put text that begins with * in quotes.",
  ]);
  expect(await mistakes("kind: Account\nspec: &s { name: *s }\n")).toEqual([
    "2:18+2 SP1011 The alias *s refers to a value that contains it or is invalid.",
  ]);
});

test("forEach cannot expand to more resources than the workspace allows", async () => {
  const digits = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
  const repeat = (lists: string) =>
    `kind: Account\nforEach: { ${lists} }\nspec: { name: "\${each.a}\${each.b}\${each.c}\${each.d}" }\n`;
  const tenThousand = repeat(["a", "b", "c", "d"].map((name) => `${name}: ${digits}`).join(", "));
  expect((await loadManifest(tenThousand)).resources).toHaveLength(10_000);
  const more = repeat(["a", "b", "c", "d", "e"].map((name) => `${name}: ${digits}`).join(", "));
  expect(await mistakes(more)).toEqual([`2:10+151 SP1011 ${tooManyResources}`]);
});

test("forEach and variables cannot expand without bounds", async () => {
  const mistakesOf = async (text: string) => {
    // A lower limit than the default is exceeded just as far, but sooner.
    const files = { "setpoint.yaml": `${workspaceText}limits: { bytes: 4000000 }\n`, "m/a.yaml": text };
    return (await loadFiles(files)).problems.map(({ message }) => message).join();
  };
  const tooMany = tooManyBytes.split(" | ", 1).join().replace("67,108,864", "4,000,000");
  const numbers = (count: number) => Array.from({ length: count }, (_none, index) => index);
  const repeated = `kind: Account\nforEach: [${numbers(5000).join()}]\nspec: { name: '\${each}', note: '\${each}${"x".repeat(long)}' }\n`;
  expect(await mistakesOf(repeated)).toContain(tooMany);
  const wide = `kind: Account\nforEach: { n: [${numbers(2000).join()}], ${numbers(2000)
    .map((index) => `a${index}: [1]`)
    .join()} }\nspec: { name: a }\n`;
  expect(await mistakesOf(wide)).toContain(tooMany);
});

test.each(["__proto__", "constructor", "prototype"])("the name %s is refused and pollutes nothing", async (name) => {
  const text = `kind: Account\nmetadata: { labels: { ${name}: x } }\nspec: { name: a, ${name}: { polluted: yes } }\n`;
  expect((await mistakes(text)).map((mistake) => mistake.split(" ", 2)[1])).toEqual(["SP1014", "SP1014"]);
  expect((await mistakes(`{ "kind": "Account", "spec": { "name": "a" }, "${name}": {} }`)).join()).toContain("SP1014");
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

test("two equal keys are reported with both places", async () => {
  const { problems } = await loadManifest('kind: Account\nspec:\n  name: a\n  "name": b\n');
  expect(problems.map(line)).toEqual(['4:3+6 SP1005 Duplicate key "name".']);
  expect(problems[0]?.other).toMatchObject({ line: 3, column: 3 });
});

test.each([
  [
    "tabs",
    "kind: Account\nspec:\n\tname: a\n",
    "3:1+1 SP1001 The line is indented with a tab, which YAML does not allow. | Indent with spaces.",
  ],
  ["a NUL byte", "kind: Account\0\n", "1:14+1 SP1001 The control character U+0000 is not allowed in YAML."],
  ["an escape sequence", "a: \u001b[31m\n", "1:4+1 SP1001 The control character U+001B is not allowed in YAML."],
  [
    "a merge key",
    "kind: Account\nspec: { <<: { note: x }, name: a }\n",
    "2:9+2 SP1004 The merge key << is not supported. | YAML 1.2 has no merge keys. Write the fields out, or use forEach.",
  ],
  [
    "a number as a key",
    "kind: Account\nmetadata: { labels: { 8080: x } }\nspec: { name: a }\n",
    "2:23+4 SP1002 The key 8080 is not text: put it in quotes.",
  ],
  ["a list as a key", "kind: Account\nspec: { name: a, ? [b] : c }\n", "2:20+3 SP1002 A key is not text."],
  [
    "an infinite number",
    "kind: Lock\nspec: { project: core, branch: b, order: 1e999 }\n",
    "2:42+5 SP1002 1e999 is not a finite number. | Put it in quotes if it is text.",
  ],
  [
    "an inexact number",
    "kind: Lock\nspec: { project: core, branch: b, order: 12345678901234567890 }\n",
    "2:42+20 SP1002 12345678901234567890 is too large to be exact. | Put it in quotes if it is text.",
  ],
  [
    "half of a character",
    'kind: Account\nspec: { name: "a\\ud83d" }\n',
    "2:15+9 SP1002 The text contains half of a surrogate pair. | Write the character itself, or both of its escapes.",
  ],
  [
    "half of a character in a key",
    'kind: Account\nmetadata: { labels: { "\\udc00": x } }\nspec: { name: a }\n',
    "2:23+8 SP1002 The text contains half of a surrogate pair. | Write the character itself, or both of its escapes.",
  ],
  [
    "a tag",
    "kind: Account\nspec: { name: !!binary aGk= }\n",
    "2:15+8 SP1001 Unresolved tag: tag:yaml.org,2002:binary. | Manifests cannot have tags.",
  ],
])("%s is an error with its place", async (_name, text, expected) => {
  expect(await mistakes(text)).toEqual([expected]);
});

test("a %YAML 1.1 line does not bring back its booleans and merge keys", async () => {
  const text = "%YAML 1.1\n---\nkind: Lock\nspec: { project: core, branch: yes }\n";
  expect((await loadManifest(text)).resources[0]?.spec).toEqual({ project: "core", branch: "yes" });
});

test("bytes that are not UTF-8 are reported at their place", async () => {
  const bytes = (...parts: readonly (string | number)[]) =>
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.of(part))));
  expect(await mistakes(bytes("a: ü\nb: é", 0xc3, "("))).toEqual([
    "2:5+1 SP1012 The file is not UTF-8 text. | Save it as UTF-8.",
  ]);
  expect(await mistakes(bytes(0xff, 0xfe, "a"))).toEqual([
    "1:1+1 SP1012 The file is not UTF-8 text. | Save it as UTF-8.",
  ]);
  expect(await mistakes(bytes("ab", 0xe2, 0x82))).toEqual([
    "1:3+1 SP1012 The file is not UTF-8 text. | Save it as UTF-8.",
  ]);
  expect(await mistakes(bytes("\u{fffd}b", 0xef, 0xbf))).toEqual([
    "1:3+1 SP1012 The file is not UTF-8 text. | Save it as UTF-8.",
  ]);
});

test("a byte order mark, Windows line endings, empty files and empty documents are accepted", async () => {
  const { problems, resources } = await loadFiles({
    "m/a.yaml": "\ufeffkind: Account\r\nspec:\r\n  name: a\r\n",
    "m/b.yaml": "",
    "m/c.yaml": "---\n# nothing\n---\n...\n---\n",
  });
  expect(problems).toEqual([]);
  expect(resources.map(({ spec }) => spec)).toEqual([{ name: "a" }]);
});

test("a file above 512 KiB is refused before it is read", async () => {
  const { problems } = await loadFiles({ "m/a.yaml": " ".repeat(512 * 1024 + 1), "m/b.yaml": good });
  expect(problems.map(line)).toEqual(["1:1 SP1011 The file is larger than 512 KiB. | Split it into several files."]);
});

test("ten thousand documents load", async () => {
  const text = Array.from({ length: 10_000 }, (_none, index) => `kind: Account\nspec: { name: a${index} }\n`).join(
    "---\n",
  );
  expect((await loadManifest(text)).resources).toHaveLength(10_000);
});
