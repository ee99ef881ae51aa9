/** A number with its noun: `1 call`, `2 calls`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

const quoteLength = 60;

/** Foreign text in quotes for a message: cut, and without characters that a terminal would act upon. */
export function quote(text: string): string {
  const cut = text.length > quoteLength ? `${text.slice(0, quoteLength)}…` : text;
  return JSON.stringify(cut).replace(/[\p{Cc}\p{Bidi_Control}]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
