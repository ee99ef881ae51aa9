import { type ResolveFnOutput, registerHooks } from "node:module";

const resolved = new Map<string, ResolveFnOutput>();

/*
 * Vitest tells its main process of each `import()` each time that it is run, which takes both of them longer than what is
 * imported. What has been resolved once is so for good: the runner marks what it loads anew with a query.
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
