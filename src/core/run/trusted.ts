import { z } from "zod";
import { Problem } from "../problem.ts";
import { listOf, objectOf } from "../readonly.ts";
import { Point } from "../resource.ts";
import { Json } from "../text/json.ts";

/** A rule that differs from the one at the trusted ref. */
const RuleChange = objectOf({
  file: z.string().describe("The workspace file, a policy's schema or a file of variables."),
  path: listOf(z.string()).describe("Names down to the value; empty for the whole file."),
  trusted: Json.exactOptional().describe("The value at the trusted ref; left out if it has none."),
  head: Json.exactOptional().describe("The value in the workspace; left out if it has none."),
  place: Point.exactOptional().describe("Where the workspace states it."),
});
export type RuleChange = z.infer<typeof RuleChange>;

/** The ref whose rules judge the manifests, and where the workspace itself differs. */
export const Trusted = objectOf({
  ref: z.string().describe("The git ref that the rules were read from."),
  commit: z.string().exactOptional().describe("The commit that the ref named."),
  changes: listOf(RuleChange).describe("Rules that the workspace changes; they are not in effect."),
  onceMerged: listOf(Problem).describe("What the changed rules would judge differently."),
});
export type Trusted = z.infer<typeof Trusted>;
