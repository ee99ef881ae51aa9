import { type ReviewState, rootProject } from "./state.ts";

/**
 * Whether changes may be uploaded for a branch: no section for its `refs/for/` ref, of the project or one it inherits
 * from, blocks `push` for all who sign in. A rule that allows the same group in the same place overrides the block.
 * @see docs/facts.md, review; measured on a real server
 */
export function mayUpload(state: ReviewState, project: string, branch: string): boolean {
  const ref = `refs/for/refs/heads/${branch}`;
  for (let name: string | undefined = project; name !== undefined; name = state.projects[name]?.parent) {
    const { access = {} } = state.projects[name] ?? {};
    for (const [pattern, { push }] of Object.entries(access)) {
      const rules = push?.rules.filter(({ group }) => group === everyone) ?? [];
      if (rules[0]?.action === "BLOCK" && !rules[0].force && covers(pattern, ref)) return false;
    }
    if (name === rootProject) return true;
  }
  return true;
}

const everyone = "global:Registered-Users";

function covers(pattern: string, ref: string): boolean {
  if (pattern.startsWith("^")) return new RegExp(`^(?:${pattern.slice(1)})$`).test(ref);
  return pattern.endsWith("/*") ? ref.startsWith(pattern.slice(0, -1)) : pattern === ref;
}
