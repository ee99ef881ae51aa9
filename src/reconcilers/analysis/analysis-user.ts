import { z } from "zod";
import type { AnalysisOperations, AnalysisReader } from "../../clients/analysis/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Kind } from "../../core/kind.ts";
import { ProblemError } from "../../core/problem.ts";
import { SecretReference } from "../../core/secret.ts";
import { grouped } from "../../core/text/words.ts";
import { Text } from "../shared/fields.ts";
import { observeAll } from "../shared/told.ts";
import { readOnlyThere, uncut, unlisted, userLimit } from "./shared/lists.ts";

const call = callOf<AnalysisOperations>();

const AnalysisUser = z.strictObject({
  name: Text.describe("Login name."),
  password: SecretReference.optional().describe("Used only when the user is created."),
});
type AnalysisUser = z.infer<typeof AnalysisUser>;

/** A user of the server's own directory. It can be created and deleted, but not changed. */
export const analysisUser: Kind<AnalysisUser, AnalysisOperations, boolean | undefined> = {
  kind: "AnalysisUser",
  role: "analysis",
  summary: "A user of the static analysis server.",
  spec: AnalysisUser,
  budget: { reads: "1 users for all", writes: "1 createUser or deleteUser per user" },
  notes: `The password is sent when the user is created; the service never returns it, so a changed reference is not a
difference. The service limits its list to ${grouped(userLimit)} users and has no paging: a user missing from a list of that length
is unknown, not absent. A user that it marks as read-only, such as one from a directory, is deleted by a person.`,
  key: ({ name }) => name,
  scope: () => "users",
  normalize: ({ name }) => ({ name }),

  async observe(read, _scope, wanted) {
    const users = await everyUser(read);
    const live = new Map(users.map((user) => [user.name, user]));
    return observeAll(wanted, analysisUser, ({ name }) => {
      const user = live.get(name);
      if (user === undefined) return unlisted(name, users, undefined);
      return { is: "present", spec: { name }, marker: user.readonly };
    });
  },

  async list(read) {
    return uncut(await everyUser(read)).map(({ name }) => ({ name }));
  },

  needsPerson: (change) => readOnlyThere(change, "user", change.marker),

  compile: (changes) =>
    changes.map((change) => {
      if (change.action === "delete") return call("deleteUser", { name: change.key }, [change]);
      const { name, password } = change.desired;
      return call("createUser", { name, password }, [change]);
    }),

  risk: ({ action }) => (action === "delete" ? ["irreversible", "narrows-access"] : ["widens-access"]),
};

/** Reads the users. Throws `ProblemError` SP3104 if there are none: the account that reads them is always one of them. */
async function everyUser(read: AnalysisReader) {
  const users = await read.users({ limit: userLimit });
  if (users.length > 0) return users;
  throw new ProblemError({
    code: "SP3104",
    message: "The list of users is empty, although the account that reads it is a user: the list is incomplete.",
    hint: "Check that the account may list users, and the service's url.",
  });
}
