/** Bundles the program into a folder, for the tests that start it. */
import { bundle } from "./build/bundle.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Which folder?");
await bundle(folder);
