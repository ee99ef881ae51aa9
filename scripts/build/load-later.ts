import { resolve } from "node:path";
import type { Plugin } from "rolldown";
import { parseSync, transformSync, Visitor } from "rolldown/utils";
import { expressionLater } from "./expression-later.ts";
import { type Edit, edited, namesIn, type Program, replaced } from "./names.ts";
import { plainParagraph } from "./plain-paragraph.ts";
import { inAscii, quicker } from "./quicker.ts";
import { schemasLater, withSchemasNamed } from "./schemas-later.ts";

/**
 * Replacements, by file, of expensive values that dependencies make when they are loaded and most runs do not need: they are
 * made when they are first used. A version of a dependency without the replaced text fails the build.
 */
const later: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  // Expressions with Unicode classes take the longest to compile, and most texts need few of them.
  "marked/lib/marked.esm.js": [
    ["getRegex:()=>new RegExp(t,e)", `getRegex: () => (${expressionLater})(t, e)`],
    ["let t=this.rules.block.paragraph.exec(e)", `let t=${plainParagraph}.exec(e)??this.rules.block.paragraph.exec(e)`],
  ],
  "string-width/index.js": [
    segmenterOf("segmenter", ""),
    [
      "const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;",
      "const rgiEmojiRegex = { test: (text) => /^\\p{RGI_Emoji}$/v.test(text) };",
    ],
  ],
  // Compiling a parser for one schema only pays off after many values.
  "zod/v4/core/schemas.js": [
    ["    let fastpass;\n", "    let fastpass;\n    let parsed = 0;\n"],
    ["ctx.jitless !== true)", "ctx.jitless !== true && (fastpass || ++parsed > 32))"],
  ],
  // The check for values that contain themselves walks every schema before its first use. JSON and our YAML have no such values.
  "zod/v4/classic/schemas.js": [
    ["    if (!core.globalConfig.memoizer)\n        core.config({ memoizer: core.memoizer() });\n", ""],
  ],
  "slice-ansi/tokenize-ansi.js": [segmenterOf("GRAPHEME_SEGMENTER", "undefined, {granularity: 'grapheme'}")],
};

function segmenterOf(name: string, args: string): readonly [string, string] {
  const made = `new Intl.Segmenter(${args})`;
  return [
    `const ${name} = ${made};`,
    `let made; const ${name} = { segment: (text) => (made ??= ${made}).segment(text) };`,
  ];
}

/** The functions that the sources import from Node's modules, for modules that few runs need. */
const functions: Readonly<Record<string, readonly string[]>> = {
  "node:child_process": ["spawn", "spawnSync"],
  "node:crypto": [
    "createCipheriv",
    "createDecipheriv",
    "createHash",
    "createHmac",
    "hash",
    "hkdfSync",
    "randomBytes",
    "randomUUID",
    "timingSafeEqual",
  ],
  "node:stream/consumers": ["buffer", "text"],
  "node:stream/promises": ["pipeline"],
  "node:tls": ["connect", "createSecureContext", "getCACertificates"],
  "node:v8": ["setFlagsFromString"],
  "node:zlib": ["crc32", "deflateRawSync", "gunzipSync", "inflateRawSync"],
};

/**
 * Loads undici's agent without its HTTP/2 client, which also loads Node's, until the first connection that uses it. This saves a
 * twentieth of the time of a plan. The placeholder in Node's module cache loads the real file when it is called.
 */
const agentWithoutHttp2 = `((require) => {
  const http2 = require.resolve("undici/lib/dispatcher/client-h2.js");
  const exports = (...args) => {
    delete require.cache[http2];
    return require(http2)(...args);
  };
  require.cache[http2] ??= { id: http2, filename: http2, loaded: true, children: [], paths: [], exports };
  return require("undici/lib/dispatcher/agent.js");
})(process.getBuiltinModule("module").createRequire(__filename))`;

/**
 * Where each of our imports is within undici. All of undici takes longer to load than the rest of a plan's code. If a version
 * moves one of them, the tests that start commands fail.
 */
const undici: Readonly<Record<string, string>> = {
  Agent: agentWithoutHttp2,
  buildConnector: 'require("undici/lib/core/connect.js")',
  // A tunnel through a proxy needs all of undici.
  EnvHttpProxyAgent: 'require("undici").EnvHttpProxyAgent',
  errors: 'require("undici/lib/core/errors.js")',
  parseCookie: 'require("undici/lib/web/cookies/parse.js").parseSetCookie',
};

/**
 * Which of our modules, in the bundle, import which others only when they first use them. Most runs need few of the kinds and
 * operation tables, and creating all their schemas takes longer than such a run.
 */
const onDemand: readonly (readonly [RegExp, RegExp])[] = [
  [/\/src\/clients\/\w+\/(?!operations)[\w-]+\.ts$/, /^\.\/operations\.ts$/],
  [/\/src\/clients\/http\/(connections\/)?\w+\.ts$/, /^undici$/],
  [/\/src\/manifests\//, /\/parse-yaml\.ts$/],
  [/\/src\/reconcilers\/registry\.ts$/, /^\.\/\w+\//],
  [/\/src\/(?!cli\/)/, /^(entities|fastest-levenshtein|marked|re2js|refa|saxes|semver|yaml)(\/|$)/],
];

/**
 * Rewrites a module of plain JavaScript so that imported values are looked up where they are used, and the schemas of an
 * operation are made when they are needed.
 */
function usedLater(code: string, imported: readonly RegExp[]): string {
  if (imported.length === 0 && !/\b(?:read|write)\(/.test(code)) return code;
  const { program } = parseSync("module.js", code);
  const lookups = new Map<string, string>();
  const edits: Edit[] = [];
  const imports = program.body.filter((statement) => statement.type === "ImportDeclaration");
  for (const { source, specifiers, start, end } of imports) {
    if (!imported.some((one) => one.test(source.value))) continue;
    for (const one of specifiers) lookups.set(one.local.name, lookupOf(source.value, one));
    edits.push({ start, end, text: "" });
  }
  const isWithin = ({ start }: { readonly start: number }) =>
    edits.some((edit) => start >= edit.start && start < edit.end);
  for (const one of namesIn(program)) {
    const lookup = lookups.get(one.name);
    if (lookup !== undefined && !isWithin(one)) edits.push(replaced(one, lookup));
  }
  new Visitor({
    CallExpression({ callee, arguments: [row] }) {
      const isRow = callee.type === "Identifier" && (callee.name === "read" || callee.name === "write");
      if (!isRow || row?.type !== "ObjectExpression") return;
      for (const part of row.properties) {
        if (part.type !== "Property" || part.shorthand || part.key.type !== "Identifier") continue;
        const { key, value } = part;
        if (key.name !== "args" && key.name !== "result") continue;
        edits.push({ start: part.start, end: value.start, text: `get ${key.name}() { return ` });
        edits.push({ start: value.end, end: value.end, text: "; }" });
      }
    },
  }).visit(program);
  return edited(code, edits);
}

/**
 * What the sources use of yaml. The bundle has its modules for browsers, of which what is not used is left out: those for Node
 * are scripts. They differ only in warnings and the binary values of YAML 1.1, which we have not.
 */
const yamlParts = [
  "Composer",
  "Document",
  "isAlias",
  "isCollection",
  "isMap",
  "isNode",
  "isPair",
  "isScalar",
  "isSeq",
  "Lexer",
  "LineCounter",
  "parseAllDocuments",
  "parseDocument",
  "Parser",
  "Scalar",
  "visit",
];

type Specifier = Extract<Program["body"][number], { readonly type: "ImportDeclaration" }>["specifiers"][number];

/** The expression that gives an imported value. */
function lookupOf(from: string, one: Specifier): string {
  const name = one.type === "ImportSpecifier" && one.imported.type === "Identifier" ? one.imported.name : "default";
  if (from === "yaml" && !yamlParts.includes(name)) throw new Error(`yamlParts lacks ${name}.`);
  return `(${(from === "undici" ? undici[name] : undefined) ?? `require("${from}").${name}`})`;
}

/** Removes the types from a module, so that each name in it is a value. */
function withoutTypes(id: string, code: string): string {
  const { code: plain, errors } = transformSync(id, code, { typescript: { onlyRemoveTypeImports: true } });
  if (errors.length > 0) throw new Error(`${id}: ${errors.map(({ message }) => message).join(", ")}`);
  return plain;
}

const prefix = "\0later:";

/** Makes the bundle load rarely used modules at their first use. */
export const loadLater: Plugin = {
  name: "load-later",
  resolveId: (id, _importer, { kind }) =>
    id === "yaml" || (kind === "import-statement" && id in functions) ? `${prefix}${id}` : undefined,
  load(id) {
    const module = id.startsWith(prefix) ? id.slice(prefix.length) : undefined;
    if (module === undefined) return undefined;
    if (module === "yaml")
      return `export { ${yamlParts.join(", ")} } from "${resolve("node_modules/yaml/browser/dist/index.js")}";`;
    const names = functions[module] ?? [];
    const made = names.map((name) => `export const ${name} = (...args) => load().${name}(...args);`);
    return [
      `const load = () => process.getBuiltinModule("${module}");`,
      ...made,
      `export default { ${names.join(", ")} };`,
    ].join("\n");
  },
  renderChunk: (code) => schemasLater(quicker(code)),
  generateBundle(_options, files) {
    for (const file of Object.values(files)) if (file.type === "chunk") file.code = inAscii(file.code);
  },
  transform(source, id) {
    const lists = onDemand.flatMap(([importer, imported]) => (importer.test(id) ? [imported] : []));
    if (/\/src\/.*\.ts$/.test(id))
      return { code: usedLater(withSchemasNamed(withoutTypes(id, source)), lists), moduleType: "js" };
    const [, changes = []] = Object.entries(later).find(([end]) => id.endsWith(`/node_modules/${end}`)) ?? [];
    return changes.reduce((text, [from, to]) => {
      if (text.split(from).length !== 2) throw new Error(`${id} does not have: ${from}`);
      return text.replace(from, () => to);
    }, source);
  },
};
