import { z } from "zod";
import type { ImportRecord } from "../../../clients/analysis/records.ts";
import type { Problem } from "../../../core/problem.ts";
import { SecretReference } from "../../../core/secret.ts";
import { Text } from "../../shared/fields.ts";

/** Another server, and the account there with which an import reads it. */
export const ImportSource = z.strictObject({
  sourceUrl: z
    .string()
    .regex(
      /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/,
      "expected an http or https URL without user name, password and query",
    )
    .describe("Base URL of the static analysis server to import from."),
  admin: Text.describe("Name of an administrator on that server."),
  password: SecretReference.optional().describe("That administrator's password."),
});

/** Returns the source as arguments of an import. */
export function sourceArgs({ sourceUrl, admin, password }: z.infer<typeof ImportSource>) {
  return { sourceURL: sourceUrl, sourceAdmin: admin, sourcePassword: password };
}

/** Words in the status of an import that has finished or failed. */
const ended = /complete|done|finish|success|fail|error|cancel|abort/i;

/** Returns the first import that has not ended; one without a status counts as not ended. */
export function unfinished(imports: readonly ImportRecord[]): ImportRecord | undefined {
  return imports.find(({ status = "" }) => !ended.test(status));
}

/** Returns the problem of an import that is in progress. */
export function underWay(what: string, { status = "no status" }: ImportRecord): Problem {
  return {
    code: "SP3104",
    operation: "importStatus",
    message: `The import of ${what} has not finished (${status}), so the service does not show the result yet.`,
    hint: "Plan again once it has.",
  };
}
