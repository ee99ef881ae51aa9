import { performancePage } from "../../bench/harness/page.ts";
import { Results } from "../../bench/harness/results.ts";
import type { DerivedFile } from "./derived-file.ts";

/** The page of benchmark results. `results` is the text of `bench/results.json`, if a run was saved. */
export function performanceDocs(results: string | undefined): DerivedFile {
  return {
    path: "docs/performance.md",
    text: performancePage(results === undefined ? undefined : Results.parse(JSON.parse(results))),
  };
}
