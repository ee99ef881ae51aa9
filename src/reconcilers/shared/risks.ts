import type { Risk } from "../../core/change.ts";

/** Returns whether access widens or narrows if what is granted changes. */
export function accessRisks(before: readonly string[], after: readonly string[]): readonly Risk[] {
  const [had, has] = [new Set(before), new Set(after)];
  return [
    ...(after.every((grant) => had.has(grant)) ? [] : (["widens-access"] as const)),
    ...(before.every((grant) => has.has(grant)) ? [] : (["narrows-access"] as const)),
  ];
}
