import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { problemGuide } from "../../src/cli/commands/explain-code.ts";

/** The texts in the source, each as the parts between its values. */
const texts = globSync("src/**/*.ts", { exclude: ["src/core/guide/**", "src/sandbox/**"] })
  .flatMap((file) => readFileSync(file, "utf8").split("\n"))
  .filter((line) => !/^\s*(\*|\/)/.test(line))
  .flatMap((line) => line.match(/"(?:[^"\\]|\\.)+"|`(?:[^`\\]|\\.)+`?/g) ?? [])
  .map((text) => text.replace(/^["`]|["`]$/g, "").split(/\$\{(?:[^{}]|\{[^{}]*\})*\}?/));

/** How many characters of a message are those of a text, in its order, up to a part that the message lacks. */
function shared(message: string, parts: readonly string[]): number {
  let [at, count] = [0, 0];
  for (const part of parts) {
    const found = message.indexOf(part, at);
    if (found < 0) return count;
    at = found + part.length;
    count += part.length;
  }
  return count;
}

// What begins with an article describes a cause; what has no full stop is a manifest or a command.
const messages = Object.entries(problemGuide).flatMap(([code, { example }]) =>
  /^An? /.test(example) || !example.endsWith(".") ? [] : [[code, example] as const],
);

test.each(messages)("the example of %s is how the program says it: %s", (_code, example) => {
  expect(Math.max(...texts.map((parts) => shared(`${example} `, parts)))).toBeGreaterThan(14);
});
