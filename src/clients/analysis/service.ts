import { describeService } from "../service.ts";
import { analysisChecks } from "./checks.ts";
import { ltokenFor } from "./ltoken.ts";
import { analysisOperations } from "./operations.ts";
import { analysisProtocol } from "./protocol.ts";

/** The static analysis server (Klocwork). */
export const analysisService = describeService({
  role: "analysis",
  types: ["klocwork"],
  credentials: {
    accepted: [["USERNAME", "TOKEN"]],
    login: (username, token) => ({ is: "token", token, username }),
    file: { variable: "LTOKEN_FILE", read: ltokenFor },
  },
  protocol: analysisProtocol,
  operations: analysisOperations,
  liveLists: [{ operation: "listProjects", row: "projects", args: {}, naturalName: "name" }],
  checks: analysisChecks,
});
