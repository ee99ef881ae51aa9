import fc from "fast-check";
import { expect, test } from "vitest";
import { showable } from "../../../src/clients/http/outcome.ts";
import { redacted } from "../../../src/core/secret.ts";

test("a secret is replaced by dots in every spelling in which it could come back", () => {
  const secret = 'p"a ss/ü<&>';
  const spellings = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ a: secret }).toString().slice(2),
    encodeURIComponent(secret).toLowerCase(),
    secret.toUpperCase(),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
    Buffer.from(secret).toString("hex"),
    "p&quot;a ss/ü&lt;&amp;&gt;",
    "p&#34;a ss/ü&#x3C;&#038;&gt;",
  ];
  expect(showable(spellings.join(" | "), [secret], 600)).toBe(spellings.map(() => redacted).join(" | "));
});

test("a text never shows the remainder of a secret that was cut off", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Z]{8,20}$/), fc.nat(320), (secret, before) => {
      const shown = showable("·".repeat(before) + secret, [secret], 300);
      expect(shown.length).toBeLessThanOrEqual(300);
      expect(shown).not.toMatch(/[A-Z]/);
    }),
  );
});

test("a secret that another one starts with never leaves a part of the longer one", () => {
  for (const secrets of [
    ["hunter2", "hunter2-and-more"],
    ["hunter2-and-more", "hunter2"],
  ])
    expect(showable("hunter2-and-more, hunter2", secrets, 300)).toBe(`${redacted}, ${redacted}`);
});

test("control characters and direction marks cannot steer a terminal", () => {
  expect(showable("a\u001b[31mb\r\nc\u202ed", [], 300)).toBe("a [31mb c d");
});

test("a character is never cut in half", () => {
  expect(showable("aaa🪁🪁", [], 5).isWellFormed()).toBe(true);
  expect(showable("aaa🪁", [], 5)).toBe("aaa🪁");
});

test("an empty secret redacts nothing", () => {
  expect(showable("text", [""], 300)).toBe("text");
});
