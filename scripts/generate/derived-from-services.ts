import { cliDocs } from "./cli.ts";
import type { DerivedFile } from "./derived-file.ts";
import { kindDocs } from "./docs.ts";
import { findKinds } from "./kinds.ts";
import { operationDocs } from "./operations.ts";
import { planPicture } from "./picture.ts";
import { problemDocs } from "./problems.ts";
import { registry } from "./registry.ts";
import { schemas } from "./schemas.ts";

/**
 * The files that are derived from the kinds, the command line and the services that `src/clients/services.ts` lists.
 * `exampleOf` returns the text of a kind's example, if there is one.
 */
export async function derivedFromServices(
  root: string,
  exampleOf: (kind: string) => string | undefined,
): Promise<readonly DerivedFile[]> {
  const found = await findKinds(root);
  const kinds = found.map(({ kind }) => kind);
  return [
    registry(found),
    ...schemas(kinds),
    cliDocs(),
    problemDocs(),
    operationDocs(),
    ...kindDocs(kinds, exampleOf),
    await planPicture(root),
  ];
}
