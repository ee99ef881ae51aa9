import { z } from "zod";
import { Problem } from "../problem.ts";
import { objectOf } from "../readonly.ts";

/** What happened to the ref that names the last complete apply. */
export const Recorded = objectOf({
  ref: z.string(),
  commit: z.string().describe("The commit of the manifests."),
  moved: z.boolean().describe("Whether the ref names it now. It stays where it was if the apply was not complete."),
  problem: Problem.exactOptional().describe("Why it could not be moved after a complete apply."),
});
export type Recorded = z.infer<typeof Recorded>;
