/** Parses files with js-yaml and does nothing else: `node js-yaml.ts <folder>`. Prints how many documents there were. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";

const [folder = "."] = process.argv.slice(2);
let documents = 0;
for (const file of globSync("**/*.yaml", { cwd: folder }))
  documents += loadAll(readFileSync(join(folder, file), "utf8")).length;
console.log(documents);
