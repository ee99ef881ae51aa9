const html: Readonly<Record<string, readonly string[]>> = {
  "&": ["&amp;"],
  "<": ["&lt;"],
  ">": ["&gt;"],
  '"': ["&quot;"],
  "'": ["&apos;"],
};

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
  ].map(escaped);
  // Each special character of HTML has several spellings, and a text can mix them.
  const marked = Array.from(secret, (mark) => {
    const forms = html[mark];
    if (forms === undefined) return escaped(mark);
    const code = mark.codePointAt(0) ?? 0;
    return `(?:${[...forms, `&#0*${code};`, `&#x0*${code.toString(16)};`, escaped(mark)].join("|")})`;
  }).join("");
  return new RegExp([...spellings.sort((a, b) => b.length - a.length), marked].join("|"), "gi");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
