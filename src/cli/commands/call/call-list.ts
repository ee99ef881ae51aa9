import { allServices } from "../../../clients/find-service.ts";
import type { Operation } from "../../../core/operation.ts";
import type { RoleName } from "../../../core/resource.ts";
import { counted } from "../../../core/text/words.ts";
import { cutFrom, inColumns } from "../../../reports/text/layout.ts";
import { type ScreenOptions, styleOf } from "../../../reports/text/style.ts";

/** An operation in the output of `setpoint call --list --json`. */
export type ListedOperation = { readonly role: RoleName; readonly operation: string } & Pick<
  Operation,
  "effect" | "method" | "path" | "product" | "ext"
>;

/** The operations of all roles, in the order of their tables. */
export function listOperations(): readonly ListedOperation[] {
  return allServices.flatMap(({ role, operations }) =>
    Object.entries(operations).map(([operation, { effect, method, path, product, ext }]) => ({
      role,
      operation,
      effect,
      method,
      path,
      ...(product === undefined ? {} : { product }),
      ...(ext === undefined ? {} : { ext }),
    })),
  );
}

/** The operations as a table, one per line. A `+` marks those that are not in the API documents. */
export function renderOperations(operations: readonly ListedOperation[], options: ScreenOptions): string {
  const { width, symbols } = styleOf(options);
  const rows = operations.map(({ role, operation, effect, method, path, ext }) => [
    role,
    ext === undefined ? operation : `${operation} +`,
    effect,
    method,
    path,
  ]);
  const lines = inColumns(rows).map((cells) => cutFrom(cells.join("  ").trimEnd(), 0, width, symbols.ellipsis));
  const own = operations.filter(({ ext }) => ext !== undefined).length;
  const documented = counted(operations.length - own, "operation");
  return [...lines, `${documented} of the API documents, and ${own} more (+).`].join("\n");
}
