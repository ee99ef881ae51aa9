/** The longest line, in characters; a longer one is cut. */
const longest = 400;

/**
 * Writes one line of a message that setpoint leaves in the history of a service. Names in it come from outside. They must
 * not begin a new line (a trailer such as `Change-Id:` would be obeyed), mention people, close issues or become links.
 */
export function commitLine(text: string): string {
  const line = text
    .slice(0, longest)
    .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu, " ")
    .replace(/([@#])(?=[\w-])/g, "$1 ")
    .replace(/\b(GH)-(?=\d)/gi, "$1 ")
    .replaceAll("://", ": //");
  return line.trim();
}
