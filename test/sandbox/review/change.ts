export const allow = { action: "ALLOW", force: false };
export const ref = "refs/heads/x";

/** Returns a request's section with one permission. */
export function section(permission: string, value: unknown) {
  return { [ref]: { permissions: { [permission]: value } } };
}
