// jq itself, compiled to WebAssembly: not every machine that runs the tests has it.
import { readFileSync } from "node:fs";
import jq from "jq-wasm";

const [flags = "", filter = "", file = ""] = process.argv.slice(2);
process.stdout.write(`${await jq.raw(readFileSync(file, "utf8"), filter, [flags])}\n`);
