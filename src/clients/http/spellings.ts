import { ProblemError } from "../../core/problem.ts";
import { literalPattern } from "../../core/text/words.ts";

const html: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** The shortest secret that is looked for in answers, in characters: a shorter one, such as a word, can be there by chance. */
const shortestSought = 12;

/** Throws `ProblemError` SP3103 if an answer contains a secret, as it is or as JSON writes it: what is read, is shown. */
export function refuseRepeated(body: Buffer, secrets: readonly string[]): void {
  const isIn = (text: string) => body.includes(text);
  const isRepeated = (secret: string) => isIn(secret) || isIn(JSON.stringify(secret).slice(1, -1));
  if (!secrets.some((secret) => secret.length >= shortestSought && isRepeated(secret))) return;
  throw new ProblemError({
    code: "SP3103",
    message: "The answer contains the credentials of this run, so nothing of it is used.",
    hint: "Remove them from what the service shows, and replace them: others can have read them.",
  });
}

/** The same for an answer that is read as it arrives, except for a secret that arrives in two parts. */
export async function* unlessRepeated(body: AsyncIterable<Buffer>, secrets: readonly string[]): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    refuseRepeated(chunk, secrets);
    yield chunk;
  }
}

/**
 * Returns an expression that finds a secret in every spelling in which a service might repeat it: encoded, escaped, in
 * any case.
 */
export function spellingsOf(secret: string): RegExp {
  const spellings = [
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ "": secret }).toString().slice(1),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
    Buffer.from(secret).toString("hex"),
  ].map(literalPattern);
  // Each special character of HTML has several spellings, and a text can mix them.
  const marked = Array.from(secret, (mark) => {
    const name = html[mark];
    if (name === undefined) return literalPattern(mark);
    const code = mark.charCodeAt(0);
    return `(?:${name}|&#0*${code};|&#x0*${code.toString(16)};|${mark})`;
  }).join("");
  return new RegExp([...spellings.sort((a, b) => b.length - a.length), marked].join("|"), "gi");
}
