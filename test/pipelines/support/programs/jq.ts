import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import jqOf from "jq-wasm";

/** Runs jq, compiled to WebAssembly because not every machine that runs the tests has it. */
export async function jq([flags = "", filter = "", file = ""]: readonly string[], cwd: string): Promise<string> {
  return `${await jqOf.raw(readFileSync(resolve(cwd, file), "utf8"), filter, [flags])}\n`;
}
