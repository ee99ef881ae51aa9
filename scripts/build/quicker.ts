/** Rewrites a bundled, unminified file so that it loads faster and is smaller. */
export function quicker(code: string): string {
  return withShortExports(withCopiesKept(withoutFacades(code)));
}

/** Escapes the non-ASCII characters in a script's strings. The script then takes half the memory and is read faster. */
export function inAscii(code: string): string {
  // An escape in a raw string would change its value.
  if (/String\.raw`[^`]*[^\0-\x7f][^`]*`/.test(code)) throw new Error("A raw text is outside of ASCII.");
  return code.replace(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Replaces a chunk's imports of Node's modules by destructuring. An import reads every export of a module, which for `node:fs`
 * loads the streams.
 */
function withoutFacades(code: string): string {
  return code.replace(/^import (.+) from "(node:[\w/]+)";$/gm, (_, imported: string, module: string) => {
    const [, whole, names] = /^([\w$]+)?(?:, )?(\{.+\})?$/.exec(imported) ?? [];
    if (whole === undefined && names === undefined) throw new Error(`${module} is imported as ${imported}`);
    const taken = [whole, names?.replaceAll(" as ", ": ")].filter((one) => one !== undefined);
    return taken.map((one) => `const ${one} = process.getBuiltinModule("${module}");`).join("\n");
  });
}

/** Changes the bundler's helper to copy the exports of a module once, not at each access. */
function withCopiesKept(code: string): string {
  return code.replace(
    /^var __toCommonJS = \(mod\) => (.+);$/m,
    `const __copies = new WeakMap();
var __toCommonJS = (mod) => {
  const copy = __copies.get(mod) ?? ($1);
  __copies.set(mod, copy);
  return copy;
};`,
  );
}

/** Replaces the export statements of a script by a single one. Together they are a fiftieth of the package. */
function withShortExports(code: string): string {
  const exported: string[] = [];
  const one =
    /^Object\.defineProperty\(exports, ("[^"]+"), \{\s+enumerable: true,\s+get: function ?\(\) \{\s+return ([\w$.]+);\s+\}\s+\}\);$/gm;
  const rest = code.replace(one, (_, name: string, value: string) => {
    exported.push(`${name}: () => ${value}`);
    return "";
  });
  if (exported.length === 0) return code;
  return `${rest}
const exported = { ${exported.join(", ")} };
for (const name in exported) Object.defineProperty(exports, name, { enumerable: true, get: exported[name] });
`;
}
