import { lineOf, type ReviewState } from "./state.ts";

/**
 * Whether changes may be uploaded for a branch: no section for its `refs/for/` ref, in the project or one it inherits
 * from, blocks `push` for all signed-in users. A rule that allows the same group in the same section overrides the block.
 * @see docs/facts.md, review; measured on a real server
 */
export function mayUpload({ projects }: ReviewState, project: string, branch: string): boolean {
  const ref = `refs/for/refs/heads/${branch}`;
  const sections = lineOf(projects, project).flatMap((name) => Object.entries(projects[name]?.access ?? {}));
  return !sections.some(([pattern, { push }]) => {
    const [rule] = push?.rules.filter(({ group }) => group === everyone) ?? [];
    return rule?.action === "BLOCK" && !rule.force && covers(pattern, ref);
  });
}

const everyone = "global:Registered-Users";

function covers(pattern: string, ref: string): boolean {
  if (pattern.startsWith("^")) return new RegExp(`^(?:${pattern.slice(1)})$`).test(ref);
  return pattern.endsWith("/*") ? ref.startsWith(pattern.slice(0, -1)) : pattern === ref;
}
