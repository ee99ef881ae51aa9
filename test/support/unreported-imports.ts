import { registerHooks } from "node:module";

/*
 * Vitest reports each `import()` to its main process each time that it runs, which costs both processes more than the import
 * itself. Only a watch needs the reports, to know which tests to run again, so the others find the sources without Vitest.
 */
if (process.env.VITEST_MODE === "RUN")
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const isSource = /^\.\.?\/.*\.ts$/.test(specifier) && context.parentURL !== undefined;
      if (!isSource) return nextResolve(specifier, context);
      return { url: new URL(specifier, context.parentURL).href, shortCircuit: true };
    },
  });
