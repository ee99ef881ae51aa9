import type { AccessRuleInfo } from "../../../clients/review/access.ts";
import type { Risk } from "../../../core/change.ts";
import { accessRisks } from "../../shared/risks.ts";
import { plainRule } from "./access.ts";

interface Permission {
  readonly exclusive?: boolean | undefined;
  readonly rules: readonly (AccessRuleInfo & { readonly group: string })[];
}

/** Returns whether access widens or narrows if a permission changes. */
export function permissionRisks(before: Permission, after: Permission): readonly Risk[] {
  return accessRisks(grantedBy(before, after), grantedBy(after, before));
}

/**
 * Returns what a permission grants compared with another: what its rules permit, and what the rules of the other one forbid. If
 * it is not exclusive, wider patterns grant something too.
 */
function grantedBy({ exclusive, rules }: Permission, others: Permission): readonly string[] {
  const forbids = ({ action }: AccessRuleInfo) => action === "DENY" || action === "BLOCK";
  return [
    ...(exclusive ? [] : ["wider patterns"]),
    ...[...rules.filter((rule) => !forbids(rule)), ...others.rules.filter(forbids)].map(({ group, ...rule }) =>
      JSON.stringify([group, plainRule(rule)]),
    ),
  ];
}
