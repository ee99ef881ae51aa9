import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
import { z } from "zod";
import { once } from "../../core/once.ts";

/**
 * Compiles the WebAssembly with which undici parses answers before undici does, so that V8 compiles it again for speed only after hundreds
 * of answers, and not after twenty. V8 has one code for the same bytes, so this is what undici gets, as long as it is kept. The flag counts
 * when the code is made, and has its default again after that. @see docs/decisions/wire.md
 */
export const compileParser = once(() => {
  const bytes = z.instanceof(Uint8Array).parse(createRequire(import.meta.url)("undici/lib/llhttp/llhttp_simd-wasm.js"));
  setFlagsFromString("--wasm-tiering-budget=2000000000");
  try {
    return new WebAssembly.Module(bytes);
  } catch {
    // A processor without such instructions: undici takes another form of it.
    return undefined;
  } finally {
    setFlagsFromString("--wasm-tiering-budget=13000000");
  }
});
