import { parseSync, Visitor } from "rolldown/utils";
import { type Edit, edited, namesIn, type Program, replaced } from "./names.ts";

/*
 * Creating all schemas takes longer than most runs, which use few of them. So the build turns each schema at the top level of a
 * module into a function: the first step gives it a name that nothing else in a bundle has, the second calls whatever has one.
 */

type Expression = Extract<Program["body"][number], { readonly type: "ExpressionStatement" }>["expression"];

/** Matches the name of such a function. The bundler numbers the schemas of several modules that have the same name. */
const named = /\$later(\$\d+)?$/;

/** Names the schemas in a module of plain JavaScript: `const Name = z.object(…)`, `Other.extend(…)`, or from an imported function. */
export function withSchemasNamed(code: string): string {
  if (!/^(?:export )?const [A-Z]/m.test(code)) return code;
  const { program } = parseSync("module.js", code);
  const known = new Set<string>();
  const schemas = new Map<string, string>();
  const edits: Edit[] = [];
  const exported: string[] = [];
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") for (const { local } of statement.specifiers) known.add(local.name);
    const declared = constantIn(statement);
    if (declared === undefined || !known.has(rootOf(declared.init) ?? "")) continue;
    const { name, init, start } = declared;
    known.add(name);
    schemas.set(name, `${name}$later`);
    edits.push({ start: init.start, end: init.start, text: "/* @__PURE__ */ __later(() => " });
    edits.push({ start: init.end, end: init.end, text: ")" });
    if (statement.start === start) continue;
    edits.push({ start: statement.start, end: start, text: "" });
    exported.push(`export { ${name}$later as ${name} };\n`);
  }
  for (const one of namesIn(program)) {
    const name = schemas.get(one.name);
    if (name !== undefined) edits.push(replaced(one, name));
  }
  return `${edited(code, edits)}\n${exported.join("")}`;
}

/** The constant that a statement declares, if it is named like a schema, and where its declaration begins. */
function constantIn(
  statement: Program["body"][number],
): { readonly name: string; readonly init: Expression; readonly start: number } | undefined {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  if (declared?.type !== "VariableDeclaration" || declared.declarations.length !== 1) return undefined;
  const [{ id, init } = {}] = declared.declarations;
  if (id?.type !== "Identifier" || !/^[A-Z]/.test(id.name) || !init) return undefined;
  return { name: id.name, init, start: declared.start };
}

/** The name at the start of a chain of calls: `z` in `z.string().min(1)`, `listOf` in `listOf(Name)`. */
function rootOf(expression: Expression): string | undefined {
  if (expression.type !== "CallExpression") return undefined;
  let root = expression.callee;
  while (root.type === "CallExpression" || root.type === "MemberExpression")
    root = root.type === "CallExpression" ? root.callee : root.object;
  return root.type === "Identifier" ? root.name : undefined;
}

/** Rewrites a bundled, unminified file so that each named schema is made when it is first used. */
export function schemasLater(code: string): string {
  if (!code.includes("$later")) return code;
  const { program } = parseSync("chunk.js", code);
  const declared = new Set<number>();
  new Visitor({
    VariableDeclarator: ({ id }) => void declared.add(id.start),
    AssignmentExpression: ({ left }) => void declared.add(left.start),
  }).visit(program);
  const uses = namesIn(program).filter(({ name, start }) => named.test(name) && !declared.has(start));
  const text = edited(
    code,
    uses.map((one) => replaced(one, `${one.name}()`)),
  );
  if (!text.includes("__later(")) return text;
  return `const __later = (make) => { let made; return () => (made ??= make()); };\n${text}`;
}
