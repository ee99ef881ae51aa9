import fc from "fast-check";
import type { Pushed, Sections } from "./real-lab.ts";

export const registered = "global:Registered-Users";
export const allow = { rules: { [registered]: { action: "ALLOW" } } };
export const accepted: Pushed = { push: "accepted", upload: "accepted" };

export function lock(project: string, branch: string, more: object = {}) {
  return ["BranchLock", { project, branch, ...more }] as const;
}

/** Removes empty sections: the server keeps the heading of a section that had an exclusive permission, whatever is removed. */
export function withoutEmptySections(config: string): string {
  const sections = config.split(/^(?=\[)/m);
  return sections.filter((section) => !/^\[access ".*"\]\n$/.test(section)).join("");
}

export function refused(branch: string): Pushed {
  return {
    push: "prohibited by Gerrit: not permitted: update",
    upload: `prohibited by Gerrit: not permitted: create change on refs/heads/${branch}`,
  };
}

/** Rules of someone else beside which a lock must hold, and which its unlock must leave. */
export const rulesBeside: readonly (readonly [name: string, sections: Sections])[] = [
  ["ALLOW of the group that is locked out", { "refs/heads/master": { permissions: { push: allow, submit: allow } } }],
  [
    "ALLOW of another group that the account is in",
    { "refs/heads/master": { permissions: { push: { rules: { Developers: {} } } } } },
  ],
  [
    "ALLOW on uploads for review",
    { "refs/for/refs/heads/master": { permissions: { push: allow, addPatchSet: allow } } },
  ],
  ["exclusive ALLOW on a wider pattern", { "refs/heads/*": { permissions: { push: { exclusive: true, ...allow } } } }],
  [
    "exclusive rules of other permissions in the same section",
    { "refs/heads/master": { permissions: { read: { exclusive: true, ...allow }, create: allow } } },
  ],
  [
    "ALLOW in the branch's own section and in a pattern of the same branch",
    {
      "refs/heads/master": { permissions: { push: allow } },
      "^refs/heads/master$": { permissions: { push: allow } },
    },
  ],
  [
    "exclusive ALLOW in a pattern of the same branch, and ALLOW in its own section",
    {
      "refs/heads/master": { permissions: { push: allow } },
      "^refs/heads/master$": { permissions: { push: { exclusive: true, ...allow } } },
    },
  ],
  [
    "forced ALLOW and DENY",
    {
      "refs/heads/master": {
        permissions: { push: { rules: { [registered]: { force: true }, Developers: { action: "DENY" } } } },
      },
    },
  ],
  ["exclusive ALLOW of the branch", { "refs/heads/master": { permissions: { push: { exclusive: true, ...allow } } } }],
  [
    "exclusive ALLOW of an expression that matches the branch",
    { "^refs/heads/mast.*": { permissions: { push: { exclusive: true, ...allow } } } },
  ],
  [
    "exclusive ALLOW on uploads for review, by an expression",
    {
      "refs/for/refs/heads/master": { permissions: { push: { exclusive: true, ...allow } } },
      "^refs/for/refs/heads/mast.*": { permissions: { push: { exclusive: true, ...allow } } },
    },
  ],
];

/** Sections with any rules that could open a lock of the branch master. */
const anySections = (() => {
  const rule = fc.record({ action: fc.constantFrom("ALLOW", "DENY"), force: fc.boolean() });
  const map = <Value>(names: readonly string[], values: fc.Arbitrary<Value>) =>
    fc.dictionary(fc.constantFrom(...names), values, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
  const permission = fc.record({ exclusive: fc.boolean(), rules: map([registered, "Developers"], rule) });
  const section = fc.record({ permissions: map(["push", "submit", "addPatchSet"], permission) });
  const refs = ["refs/heads/master", "refs/for/refs/heads/master"];
  const expressions = [...refs.flatMap((ref) => [`^${ref}$`, `^${ref}`]), "^refs/heads/m.*", "^refs/.+/(master|none)"];
  return map(["refs/heads/*", ...refs, ...expressions], section);
})();

/** Changes of rules made before a lock, one made after it, and the branch that it locks. */
export const rulesAndBranch = [
  fc.array(anySections, { minLength: 1, maxLength: 2 }),
  anySections,
  fc.constantFrom("master", "^mast.*$"),
] as const;
