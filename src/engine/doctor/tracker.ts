import type { trackerOperations } from "../../clients/tracker.ts";
import type { Reader } from "../../core/operation.ts";
import type { RoleChecks } from "./check.ts";
import { signedInAs } from "./check.ts";

export const trackerChecks: RoleChecks<Reader<typeof trackerOperations>> = [
  {
    check: "account",
    async find(read) {
      const { name, active } = await read.getMyself({});
      if (active !== false) return signedInAs(name);
      return { says: `${name} is not active`, wrong: { hint: "Activate the account, or use another one." } };
    },
  },
];
