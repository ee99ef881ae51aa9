import { describeService } from "../service.ts";
import { hostingChecks, hostingVersions } from "./checks.ts";
import { hostingOperations } from "./operations.ts";
import { hostingProtocol } from "./protocol.ts";

const type = { required: false, description: "Which repositories, such as `private`." };
/** The code hosting service (GitHub). */
export const hostingService = describeService({
  role: "hosting",
  types: ["github"],
  credentials: {
    accepted: [["TOKEN"]],
    login: (_username, token) => ({ is: "token", token }),
    anonymous: true,
  },
  protocol: hostingProtocol,
  operations: hostingOperations,
  liveLists: [
    {
      operation: "listOrganizationRepositories",
      row: "listOrganizationRepositories",
      args: { org: { required: true, description: "The organization." }, type },
      naturalName: "name",
    },
    { operation: "listUserRepositories", row: "listUserRepositories", args: { type }, naturalName: "name" },
  ],
  checks: hostingChecks,
  versions: hostingVersions,
});
