/** An error in XML: its index in the text, and what to write instead. */
export class XmlMistake extends Error {
  readonly index: number;

  constructor(index: number, mistake: string) {
    super(mistake);
    this.index = index;
  }
}

/** A start tag: its name and where it begins. */
export interface XmlTag {
  readonly name: string;
  readonly start: number;
}

/** How far the parser had come when it found an error. */
interface Progress {
  readonly text: string;
  /** The index after the last character that was read. */
  readonly at: number;
  /** Where the construct that is being read begins, and where the one before it ended. */
  readonly begin: number;
  readonly end: number;
  /** The elements that are open, outermost first. */
  readonly open: readonly XmlTag[];
  /** The element that was closed last. */
  readonly closed: XmlTag | undefined;
  readonly isFragment: boolean;
}

/** The parser's words for an error and ours, which begins so many characters back, or else where the construct does. */
const words: ReadonlyMap<string, readonly [mistake: string, back?: number]> = new Map([
  ['the string "]]>" is disallowed in char data.', ["write ]]> as ]]&gt;", 3]],
  ["malformed comment.", ["a comment must not contain --", 3]],
  ["text data outside of root node.", ["text is outside of the root element"]],
  ["documents may contain only one root.", ["a second root element begins"]],
  ["document must contain a root element.", ["it has no element"]],
]);

/** Explains an error; `said` are the parser's words for it. */
export function explainMistake(said: string, progress: Progress): XmlMistake {
  const { text, at, begin } = progress;
  const [ours, back] = words.get(said) ?? [];
  if (ours !== undefined) return new XmlMistake(back === undefined ? begin : at - back, ours);
  const [what = "", name = ""] = said.split(": ");
  switch (what) {
    case "duplicate attribute":
      return new XmlMistake(begin, `duplicate attribute ${name.slice(0, -1)}`);
    case "malformed character entity.":
    case "empty entity name.": {
      const index = text.lastIndexOf("&", at - 1);
      return noReference(index, text.slice(index + 1, at - 1));
    }
    case "unexpected close tag.":
      return wrongEnd(progress, progress.isFragment && progress.open.length === 0 ? undefined : progress.closed);
    case "unmatched closing tag":
      return wrongEnd(progress, undefined);
    case "unclosed tag": {
      const innermost = text.includes("<", progress.end) ? undefined : progress.open.at(-1);
      return innermost ? neverClosed(innermost) : noTag(text, begin, "it does not end");
    }
    case "disallowed character.":
      return at <= text.length && text[at - 1] !== "<" ? noCharacter(text, at - 1) : noTag(text, begin, said);
    default:
      return noTag(text, begin, said);
  }
}

/** The error of an end tag in place of that of the innermost element, if one is open. */
function wrongEnd({ text, at }: Progress, innermost: XmlTag | undefined): XmlMistake {
  if (innermost !== undefined && at > text.length) return neverClosed(innermost);
  const index = text.lastIndexOf("</", at - 1);
  const wrong = innermost ? `is out of place: expected </${innermost.name}> first` : "has no start tag";
  return new XmlMistake(index, `${text.slice(index, text.indexOf(">", index) + 1)} ${wrong}`);
}

function neverClosed({ name, start }: XmlTag): XmlMistake {
  return new XmlMistake(start, `<${name}> is never closed`);
}

export function noCharacter(text: string, index: number): XmlMistake {
  const code = text.charCodeAt(index).toString(16).toUpperCase().padStart(4, "0");
  return new XmlMistake(index, `the character U+${code} is not allowed in XML`);
}

export function noReference(index: number, name: string): XmlMistake {
  return new XmlMistake(index, /^#?\w+$/.test(name) ? `&${name}; is not a character` : 'write "&" as &amp;');
}

/** The error of text that begins like a tag but is not one; `said` are the parser's words for what is wrong. */
function noTag(text: string, index: number, said: string): XmlMistake {
  const rest = text.slice(index);
  const quoted = JSON.stringify(rest.slice(0, 30));
  if (rest.startsWith("<!--")) return new XmlMistake(index, "the comment is never closed");
  if (rest.startsWith("<![CDATA[")) return new XmlMistake(index, "the CDATA section is never closed");
  const why = `is not allowed here: ${said.replace(/\.$/, "")}`;
  const instead = 'does not begin a tag: write "<" as &lt;, and attributes as name="value"';
  return new XmlMistake(index, `${quoted} ${/^<[?!]/.test(rest) ? why : instead}`);
}
