import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
import { z } from "zod";
import { once } from "../../../core/once.ts";

/**
 * Compiles the WebAssembly module with which undici parses answers before undici does, so that V8 recompiles it for speed
 * only after hundreds of answers, not after twenty. V8 shares code between modules with the same bytes, so undici gets
 * this code as long as the module is kept. The flag takes effect when the code is made, and is then set back to its
 * default.
 * @see docs/decisions/wire.md
 */
export const compileParser = once(() => {
  const bytes = z.instanceof(Uint8Array).parse(createRequire(import.meta.url)("undici/lib/llhttp/llhttp_simd-wasm.js"));
  setFlagsFromString("--wasm-tiering-budget=2000000000");
  try {
    return new WebAssembly.Module(bytes);
  } catch {
    // The processor lacks the instructions: undici uses another build of the parser.
    return undefined;
  } finally {
    setFlagsFromString("--wasm-tiering-budget=13000000");
  }
});
