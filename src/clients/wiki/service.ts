import { describeService } from "../service.ts";
import { wikiChecks, wikiVersions } from "./checks.ts";
import { wikiOperations } from "./operations.ts";
import { wikiProtocol } from "./protocol.ts";

/** The wiki with its token plugin (Confluence). */
export const wikiService = describeService({
  role: "wiki",
  types: ["confluence"],
  credentials: { accepted: [["USERNAME", "TOKEN"], ["USERNAME", "PASSWORD"], ["TOKEN"]] },
  protocol: wikiProtocol,
  operations: wikiOperations,
  checks: wikiChecks,
  versions: wikiVersions,
});
