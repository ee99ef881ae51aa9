import { onceForText } from "../../core/once.ts";
import { ProblemError } from "../../core/problem.ts";
import { escapedCharacter, literalPattern } from "../../core/text/words.ts";

const html: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  " ": "&nbsp;",
};

/** The shortest secret that is looked for in answers, in characters: a shorter one, such as a word, can be there by chance. */
const shortestSought = 12;

/** Throws `ProblemError` SP3103 if an answer contains a secret, as it is or however JSON writes it: what is read, is shown. */
export function refuseRepeated(body: Buffer, secrets: readonly string[]): void {
  const long = secrets.filter(({ length }) => length >= shortestSought);
  const sought = long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const isIn = (text: Buffer | string) => sought.some((secret) => text.includes(secret));
  // Escapes that JSON need not have, such as that of `=` or `/`, but that some services write. A text can have millions of others.
  const codes = () => Array.from(new Set(sought.join("").split("")), (one) => escapedCharacter(one).slice(2)).join("|");
  const spared = () => new RegExp(`\\\\(?:u(${codes()})|/)`, "gi");
  const plain = () =>
    body.toString().replace(spared(), (_one, code) => (code ? String.fromCharCode(parseInt(code, 16)) : "/"));
  const isSpared = sought.length > 0 && ["\\u", "\\/"].some((mark) => body.includes(mark));
  if (!isIn(body) && !(isSpared && isIn(plain()))) return;
  throw new ProblemError({
    code: "SP3103",
    message: "The answer contains the credentials of this run, so nothing of it is used.",
    hint: "Remove them from what the service shows, and replace them: others can have read them.",
  });
}

/** The same for an answer that is read as it arrives. */
export async function* unlessRepeated(body: AsyncIterable<Buffer>, secrets: readonly string[]): AsyncGenerator<Buffer> {
  // A secret can arrive in two parts. JSON writes a character in at most six bytes.
  const longest = 6 * Math.max(0, ...secrets.map(({ length }) => length));
  let end: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    const known = Buffer.concat([end, chunk]);
    refuseRepeated(known, secrets);
    end = known.subarray(Math.max(0, known.length - longest));
    yield chunk;
  }
}

/** Returns text in one line: control characters, which could control a terminal, and spaces become single spaces. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ");
}

/**
 * Returns an expression that finds a secret in every spelling in which a service might repeat it in one line: encoded,
 * escaped, in any case. Kept, because every failed request asks for those of the same secrets.
 */
export const spellingsOf = onceForText(10_000, (secret): RegExp => {
  const bytes = Buffer.from(secret);
  const encoded = [...(["hex", "base64", "base64url"] as const).map((form) => bytes.toString(form)), ...within(bytes)];
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const written = [inJson(inJson(secret)), inJson(secret), secret];
  const marked = written.map((text) => Array.from(oneLine(text), spellingsOfMark).join(""));
  return new RegExp([...encoded.map(literalPattern), ...marked].join("|"), "gi");
});

/**
 * Returns a long secret as base64 has it within a longer text, where it can begin at three places. The characters that it shares with
 * its neighbours there are left out.
 */
function within(secret: Buffer): readonly string[] {
  if (secret.length < shortestSought) return [];
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), secret]);
    const [start, end] = [Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3)];
    return (["base64", "base64url"] as const).map((form) => bytes.toString(form).slice(start, end));
  });
}

/** Matches a character in all its spellings, which a text can mix. */
function spellingsOfMark(mark: string): string {
  const code = mark.codePointAt(0) ?? 0;
  const escaped = Array.from({ length: mark.length }, (_none, at) => escapedCharacter(mark.charAt(at)).slice(1));
  const spellings = [
    html[mark] ?? [],
    `&#0*${code};`,
    `&#x0*${code.toString(16)};`,
    escaped.map((unit) => `\\\\{1,2}${unit}`).join(""),
    Array.from(Buffer.from(mark), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
    mark === " " ? "\\+" : mark === "/" ? "\\\\{1,2}/" : [],
    literalPattern(mark),
  ];
  // As many spaces are shown as one.
  return `(?:${spellings.flat().join("|")})${mark === " " ? "{1,9}" : ""}`;
}
