import { Lexer } from "yaml";

/** A word or sign of YAML. */
export interface Lexeme {
  readonly text: string;
  readonly start: number;
}

/** Returns the lexemes in a text. Unquoted text and block scalars are left out. */
export function lexemes(whole: string): readonly Lexeme[] {
  const found: Lexeme[] = [];
  let [start, before] = [0, ""];
  for (const text of new Lexer().lex(whole)) {
    if (!isMark(text)) {
      if (before !== "\u001f") found.push({ text, start });
      start += text.length;
    }
    before = text;
  }
  return found;
}

/** Whether a lexeme is one of the lexer's own marks, which are not in the text. */
export function isMark(lexeme: string): boolean {
  return lexeme.charCodeAt(0) <= 0x1f && !/^[\t\r\n]/.test(lexeme);
}
