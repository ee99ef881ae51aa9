import { cliDocs } from "./cli.ts";
import type { DerivedFile } from "./derived-file.ts";
import { kindDocs } from "./docs.ts";
import { findKinds } from "./kinds.ts";
import { operationDocs } from "./operations.ts";
import { planPicture } from "./picture.ts";
import { registry } from "./registry.ts";
import { schemas } from "./schemas.ts";

/**
 * What is derived from the kinds, from the command line and from the services that `src/clients/services.ts` lists.
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
    operationDocs(),
    ...kindDocs(kinds, exampleOf),
    await planPicture(root),
  ];
}
