import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { showable } from "../../../src/clients/http/outcome.ts";
import { refuseRepeated, unlessRepeated } from "../../../src/clients/http/spellings.ts";
import { redacted } from "../../../src/core/secret.ts";

/** The ways in which a service might repeat a secret. */
function spellingsIn(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    encodeURIComponent(secret),
    new URLSearchParams({ a: secret }).toString().slice(2),
    encodeURIComponent(secret).toLowerCase(),
    secret.toUpperCase(),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
  ];
}

test("a secret is replaced by dots in every spelling in which it could come back", () => {
  const secret = 'p"a ss/ü<&>';
  const spellings = [...spellingsIn(secret), "p&quot;a ss/ü&lt;&amp;&gt;", "p&#34;a ss/ü&#x3C;&#038;&gt;"];
  expect(showable(spellings.join(" | "), [secret], 600)).toBe(spellings.map(() => redacted).join(" | "));
});

test("no spelling of a secret leaves anything of it, whatever characters it has and ends with", () => {
  const marks = [..."\\\"'<&>+/%~= aZ9ü"].map((mark) => fc.constant(mark));
  fc.assert(
    fc.property(fc.string({ unit: fc.oneof(...marks), minLength: 4, maxLength: 12 }), (secret) => {
      const shown = spellingsIn(secret).map((spelling) => showable(`[${spelling}]`, [secret], 600));
      expect(new Set(shown)).toEqual(new Set([`[${redacted}]`]));
    }),
    { examples: [["100%"], ["a\\"]] },
  );
});

async function textsOf(chunks: AsyncIterable<Buffer>): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const chunk of chunks) texts.push(String(chunk));
  return texts;
}

async function checked(...answer: Parameters<typeof refuseRepeated>): Promise<void> {
  refuseRepeated(...answer);
}

test.each([
  ["", false],
  ["a-secret-12", false],
  ["a-secret-123", true],
  ['a-secret-"quoted"', true],
])("an answer that repeats the credential %j is refused: %s", async (secret, isRefused) => {
  const others = ["another-secret", secret];
  const answers = [secret, JSON.stringify({ said: `it is ${secret}.` })].map((text) => Buffer.from(`<${text}>`));
  for (const answer of answers) {
    const chunks = unlessRepeated(Readable.from([Buffer.from("begun"), answer]), others);
    const arrived = await textsOf(chunks).catch(({ message }: Error) => message);
    const whole = await checked(answer, others).catch(({ message }: Error) => message);
    const refusal = "SP3103 The answer contains the credentials of this run, so nothing of it is used.";
    expect([arrived, whole]).toEqual(isRefused ? [refusal, refusal] : [["begun", String(answer)], undefined]);
  }
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
