import { type ResolveFnOutput, registerHooks } from "node:module";

const resolved = new Map<string, ResolveFnOutput>();

/*
 * Vitest reports each `import()` to its main process each time that it runs, which costs more than the import itself.
 * Resolutions are therefore cached. They stay valid, because the runner marks what it reloads with a query.
 */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL = "" } = context;
    if (!specifier.startsWith(".") || !parentURL.includes("/src/")) return nextResolve(specifier, context);
    const name = `${specifier} ${parentURL}`;
    const known = resolved.get(name);
    if (known !== undefined) return { ...known, shortCircuit: true };
    const found = nextResolve(specifier, context);
    resolved.set(name, found);
    return found;
  },
});
