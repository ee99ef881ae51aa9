import { literalPattern } from "../../core/text/words.ts";

const html: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

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
