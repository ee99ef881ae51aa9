import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/*
 * Node 22 does not know `using`. Vite can write it out, but then it also runs the modules, and looks up each name wherever it is
 * used. So Node runs them here too, and only the files with `using` are rewritten for it.
 */
if (Number.parseInt(process.versions.node, 10) < 24) {
  const { transformSync } = await import("rolldown/utils");
  Object.assign(globalThis, { babelHelpers: { usingCtx } });
  registerHooks({
    load(url, context, nextLoad) {
      const path = url.startsWith("file:") && /\.ts(?:\?|$)/.test(url) ? fileURLToPath(url) : undefined;
      if (path === undefined || path.includes("/node_modules/")) return nextLoad(url, context);
      const text = readFileSync(path, "utf8");
      if (!/\busing \w+ = /.test(text)) return nextLoad(url, context);
      const target = {
        target: "es2022",
        helpers: { mode: "External" },
        typescript: { onlyRemoveTypeImports: true },
      } as const;
      return { format: "module", source: transformSync(path, text, target).code, shortCircuit: true };
    },
  });
}

interface Held {
  readonly value: object;
  readonly dispose: () => unknown;
  readonly isAwaited: boolean;
}

/** What the rewritten files call: `u` and `a` take a value of `using` and `await using`, `d` disposes of all; `e` was thrown. */
function usingCtx() {
  const none = {};
  const held: Held[] = [];
  const context = { e: none as unknown, u: keeping(false), a: keeping(true), d: next };
  function keeping(isAwaited: boolean) {
    return (value: (object & Partial<Disposable & AsyncDisposable>) | null | undefined) => {
      const dispose = (isAwaited ? value?.[Symbol.asyncDispose] : undefined) ?? value?.[Symbol.dispose];
      if (value && dispose === undefined) throw new TypeError("It cannot be disposed of.");
      if (value && dispose !== undefined) held.push({ value, dispose, isAwaited });
      return value;
    };
  }
  function failed(error: unknown): unknown {
    context.e = context.e === none ? error : new AggregateError([error, context.e]);
    return next();
  }
  function next(): unknown {
    const one = held.pop();
    if (one === undefined) {
      if (context.e !== none) throw context.e;
      return undefined;
    }
    let done: unknown;
    try {
      done = one.dispose.call(one.value);
    } catch (error) {
      return failed(error);
    }
    return one.isAwaited ? Promise.resolve(done).then(next, failed) : next();
  }
  return context;
}
