import { createAnsiSequenceParser, type ParseToken } from "ansi-sequence-parser";
import stringWidth from "string-width";

/** The size of one character in pixels. */
const cell = { width: 7.8, height: 18 };
const margin = 16;

/** The colours of a light and a dark terminal, each with a contrast of at least 4.5 : 1. */
const themes = {
  light: {
    back: "#ffffff",
    edge: "#d0d7de",
    plain: "#1f2328",
    dim: "#59636e",
    green: "#116329",
    red: "#b3261e",
    yellow: "#7d4e00",
    magenta: "#7132c0",
    cyan: "#0a5f9e",
  },
  dark: {
    back: "#0d1117",
    edge: "#30363d",
    plain: "#e6edf3",
    dim: "#9198a1",
    green: "#7ee787",
    red: "#ff8f87",
    yellow: "#e3b341",
    magenta: "#d2a8ff",
    cyan: "#79c0ff",
  },
} as const;

/** Draws what a terminal with `columns` columns shows, light or dark as the reader prefers. */
export function terminalPicture(text: string, columns: number, title: string): string {
  const lines = text.trimEnd().split("\n");
  const [width, height] = [columns * cell.width + 2 * margin, lines.length * cell.height + 2 * margin];
  const parser = createAnsiSequenceParser();
  const drawn = lines.map((line, row) => drawLine(parser.parse(line), margin + (row + 0.75) * cell.height));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>
svg { ${variables("light")} }
@media (prefers-color-scheme: dark) { svg { ${variables("dark")} } }
rect { fill: var(--back); stroke: var(--edge); }
text { fill: var(--plain); font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
.bold { font-weight: bold; }
${["dim", "green", "red", "yellow", "magenta", "cyan"].map((name) => `.${name} { fill: var(--${name}); }`).join("\n")}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
${drawn.filter((line) => line !== "").join("\n")}
</svg>
`;
}

function variables(theme: keyof typeof themes): string {
  return Object.entries(themes[theme])
    .map(([name, color]) => `--${name}: ${color};`)
    .join(" ");
}

/** Draws each run of one look at its own column, so that columns stay aligned in any font. */
function drawLine(tokens: readonly ParseToken[], y: number): string {
  let column = 0;
  const runs = tokens.flatMap((token) => {
    const x = margin + column * cell.width;
    column += stringWidth(token.value);
    // Words with larger gaps are columns of a table, whose positions must not depend on the font either.
    return [...token.value.matchAll(/\S+(?: \S+)*/g)].map(({ 0: words, index }) => {
      const at = x + stringWidth(token.value.slice(0, index)) * cell.width;
      const look = looksOf(token);
      return `<tspan x="${rounded(at)}"${look === "" ? "" : ` class="${look}"`}>${escaped(words)}</tspan>`;
    });
  });
  return runs.length === 0 ? "" : `<text y="${rounded(y)}">${runs.join("")}</text>`;
}

function looksOf({ foreground, decorations }: ParseToken): string {
  const color = foreground?.type === "named" ? [foreground.name] : [];
  return [...decorations, ...color].join(" ");
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
