/** A name that people and programs give to credentials, with its value up to the end of the entry. */
const namedSecret =
  /((?<![\w-])["']?(?:[\w-]*[_-])?(?:token|password|passwd|pass|secret|credentials?|(?:api|private)_?-?key|authorization)(?:["']\s*:\s*|\s*:\s+))(?!["']?\$\{)("(?:[^"\\]|\\.)*"|[^\s,}#][^,}#]*)/gi;

/** Hides what looks like credentials in a line of a file; the result has the same length, so that columns stay. */
export function withoutSecrets(line: string): string {
  return withoutUserInfo(line).replace(namedSecret, (_found, name: string, value: string) => {
    const text = value.trimEnd();
    return name + dots(text) + value.slice(text.length);
  });
}

/** Hides the user and the password of the URLs in a text: everything between `://` and the last `@` of a word. */
export function withoutUserInfo(text: string): string {
  if (!text.includes("://")) return text;
  return text.replace(/[^\s"']+/g, (word) => {
    const start = word.indexOf("://") + 3;
    const end = word.lastIndexOf("@");
    return start < 3 || end <= start ? word : word.slice(0, start) + dots(word.slice(start, end)) + word.slice(end);
  });
}

/** Whether a text is a URL with a user or a password. */
export function hasUserInfo(text: string): boolean {
  const url = URL.parse(text);
  return (url !== null && (url.username !== "" || url.password !== "")) || /^[^/?#]*:\/\/[^/?#\\]*@/.test(text);
}

function dots(text: string): string {
  return "•".repeat(text.length);
}
