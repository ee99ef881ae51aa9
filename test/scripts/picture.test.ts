import { expect, test } from "vitest";
import { terminalPicture } from "../../scripts/generate/ansi-svg.ts";

/** Returns the contents of a text's picture, run by run: position, style and words. */
function runsIn(text: string): readonly (readonly (string | undefined)[])[] {
  const picture = terminalPicture(text, 40, "A picture");
  return [...picture.matchAll(/<tspan x="([\d.]+)"(?: class="([^"]*)")?>(.*?)<\/tspan>/g)].map(([, ...run]) => run);
}

test("a picture shows each word at its column, in its style", () => {
  expect(runsIn("\u001b[1mreview\u001b[22m   1 read\n  \u001b[32m+\u001b[39m \u001b[1;31mlock\u001b[0m")).toEqual([
    ["16", "bold", "review"],
    ["86.2", undefined, "1 read"],
    ["31.6", "green", "+"],
    ["47.2", "bold red", "lock"],
  ]);
});

test("a character that is two columns wide takes two columns", () => {
  expect(runsIn("\u65e5\u672c  x").map(([x]) => x)).toEqual(["16", "62.8"]);
});

test("text from outside stays text", () => {
  expect(runsIn("<script>&</script>")).toEqual([["16", undefined, "&lt;script&gt;&amp;&lt;/script&gt;"]]);
  expect(terminalPicture("x", 1, "</title><script>")).toContain("<title>&lt;/title&gt;&lt;script&gt;</title>");
});
