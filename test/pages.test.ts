import { globSync } from "tinyglobby";
import { expect, test } from "vitest";
import { commandsOf, mistakeIn } from "./support/pages.ts";

const pages = globSync(["*.md", "docs/**/*.md", "examples/**/*.md", "!docs/cli.md", "!CHANGELOG.md"]);

test("every command that a page shows exists, with its options", () => {
  const commands = pages.flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(20);
  const wrong = commands.flatMap(({ place, words }) => {
    const mistake = mistakeIn(words);
    return mistake === undefined ? [] : [`${place}: setpoint ${words.join(" ")}: ${mistake}`];
  });
  expect(wrong).toEqual([]);
});

test.each([
  ["an unknown command", ["plant"]],
  ["an unknown option", ["plan", "--bas", "origin/main"]],
  ["a missing value", ["plan", "--base"]],
  ["a missing argument", ["revert"]],
])("%s is found", (_what, words) => {
  expect(mistakeIn(words)).toMatch(/^SP5001 /);
});
