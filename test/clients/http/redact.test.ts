import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge, showable } from "../../../src/clients/http/outcome.ts";
import { refuseRepeated, unlessRepeated } from "../../../src/clients/http/spellings.ts";
import { redacted } from "../../../src/core/secret.ts";

/** The ways in which a service can write a value as JSON: each decodes to the same text. */
const writers: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "as JSON": (text) => JSON.stringify(text).slice(1, -1),
  "as JSON that HTML can hold": (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[<>&='/]/g, escaped),
  "as JSON with escaped slashes": (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  "as JSON in which every character is escaped": (text) => text.split("").map(escaped).join(""),
};

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

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
    secret.replaceAll(" ", "\r\n\t"),
    secret.replaceAll(" ", "&nbsp;"),
    ...Object.values(writers).map((write) => write(secret)),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
  ];
}

test("a secret is replaced by dots in every spelling in which it could come back", () => {
  const secret = 'p"a ss/ü<&>';
  const spellings = [...spellingsIn(secret), "p&quot;a ss/ü&lt;&amp;&gt;", "p&#34;a ss/ü&#x3C;&#038;&gt;"];
  expect(showable(spellings.join(" | "), [secret], 1000)).toBe(spellings.map(() => redacted).join(" | "));
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

async function* arriving(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* parts;
}

async function textsOf(chunks: AsyncIterable<Buffer>): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const chunk of chunks) texts.push(String(chunk));
  return texts;
}

async function checked(...answer: Parameters<typeof refuseRepeated>): Promise<void> {
  refuseRepeated(...answer);
}

describe.each(Object.entries(writers))("a credential that an answer has %s", (name, write) => {
  test.each([
    ["", false],
    ["a-secret-12", false],
    ["a-secret-123", true],
    ['a-secret-"quoted"', true],
    ["a/secret\\with'=🪁&<signs>", true],
  ])("is refused unless it is short, whole or in two parts: %j, %s", async (secret, isRefused) => {
    const text = `{"said":"it is ${write(secret)}."}`;
    if (name !== "as it is") expect(JSON.parse(text)).toEqual({ said: `it is ${secret}.` });
    const others = ["another-secret", secret];
    const answer = Buffer.from(text);
    const refusal = "SP3103 The answer contains the credentials of this run, so nothing of it is used.";
    const whole = await checked(answer, others).catch(({ message }: Error) => message);
    expect(whole).toBe(isRefused ? refusal : undefined);
    for (let cut = 0; cut <= answer.length; cut++) {
      const parts = [Buffer.from("begun"), answer.subarray(0, cut), Buffer.alloc(0), answer.subarray(cut)];
      const arrived = await textsOf(unlessRepeated(arriving(parts), others)).catch(({ message }: Error) => message);
      expect(arrived, `cut at ${cut}`).toEqual(isRefused ? refusal : parts.map(String));
    }
  });
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

test.each([
  ["after a space", `Bad gateway ${" ".repeat(1980)}`, "Bad gateway"],
  ["after characters that are not shown", "\u0001".repeat(1990), ""],
  ["after itself", "s3cr3t-of-a-service".repeat(105), ""],
])("a page that is read in part shows no part of a secret where it ends, %s", (_where, start, title) => {
  const body = Buffer.from(`${start}s3cr3t-of-a-service`);
  expect(judge({ status: 502, headers: {}, body }, { status: 502 }, ["s3cr3t-of-a-service"])).toMatchObject({
    failure: { title },
  });
});

test("a long secret is recognised in the base64 of a longer text, wherever it begins there", () => {
  const secret = "s3cr3t-of-a-service";
  for (const form of ["base64", "base64url"] as const)
    for (const before of ["", "a", "ab", "Bearer "]) {
      const shown = showable(Buffer.from(`${before}${secret}?`).toString(form), [secret], 300);
      const around = Buffer.from(`${before}?`).toString("base64").length;
      expect(shown).toContain(redacted);
      // Of the characters that the secret shares with its neighbours, at most two are left.
      expect(shown.length).toBeLessThanOrEqual(redacted.length + around + 4);
    }
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
