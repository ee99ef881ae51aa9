import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { commitLine } from "../../src/core/text/commit-message.ts";
import { hostileTexts } from "../support/hostile-text.ts";

test("a name in a commit message stays on its line, and refers to no person, issue or page", () => {
  for (const text of [...hostileTexts, "a".repeat(10_000)]) {
    const line = commitLine(`Lock ${text}`);
    expect(line).toMatch(/^Lock/);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|@[\w-]|#\d|GH-\d|:\/\//u);
    expect(line.length).toBeLessThan(500);
  }
  expect(commitLine("Lock release-2.4: Frozen for 2.4 GA")).toBe("Lock release-2.4: Frozen for 2.4 GA");
  expect(commitLine("Add rules for push on refs/heads/*")).toBe("Add rules for push on refs/heads/*");
});

test("git finds no trailers in a message of such lines", () => {
  const trailersOf = (message: string) =>
    spawnSync("git", ["interpret-trailers", "--parse"], { input: message, encoding: "utf8" }).stdout;
  // In the raw texts it does.
  const texts = hostileTexts.filter((text) => text.includes("-by:")).map((text) => `Lock ${text}`);
  expect(trailersOf(texts[0] ?? "")).toContain("Signed-off-by");
  expect(trailersOf(["Lock a", "", ...texts.map(commitLine)].join("\n"))).toBe("");
});
