import fc from "fast-check";
import { ProjectAccess } from "../../../src/clients/review/access.ts";

const permissions = [
  ...["push", "Push", "SUBMIT", "create", "delete", "addPatchSet", "owner", "read", "pushTag", "toggleWipState"],
  ...["label-Code-Review", "label-code-review", "labelAs-Code-Review", "label-Nope", "removeLabel-Code-Review"],
  ...["viewDrafts", "nonsense"],
];
const refs = [
  ...[
    "refs/*",
    "refs/heads/*",
    "refs/heads/master",
    "refs/heads/ü/*",
    'refs/heads/x\\"y',
    "refs/for/refs/heads/master",
  ],
  ...["refs/meta/config", "refs/tags/*", "refs/heads/${username}/*", "refs/users/${shardeduserid}"],
  ...["^refs/heads/master$", "^refs/heads/m.+", "^refs/heads/(x|y)/.+", "^refs/heads/\\\\d+"],
  ...["^refs/heads/${username}/.+", "^refs/(heads|for/refs/heads)/x.*"],
];
const ranges = ["", "-1..+1 ", "-2..+2 ", "+1..+2 ", "-5..+5 ", "-0..+0 "];
/** Sections in which setpoint changes nothing, as the server writes them. */
const others = [
  "[receive]\n\trequireChangeId = true\n\trejectImplicitMerges = true\n",
  '[submit-requirement "Resolved"]\n\tdescription = "none; # left"\n\tsubmittableIf = -has:unresolved\n\tcanOverrideInChildProjects = false\n',
  '[plugin "foo"]\n\tbar = baz\n',
  '[label "Verified"]\n\tfunction = NoBlock\n\tvalue = -1 Fails\n\tvalue = 0 No score\n\tvalue = +1 Verified\n\tdefaultValue = 0\n',
  '[commentlink "x"]\n\tmatch = a(b)c\n\tlink = http://x/$1\n',
  '[unknown "sub"]\n\tx = y\n',
  "[access]\n\tfoo = bar\n",
];

/** Configurations as people write them, with rules of the named groups: each group has one rule of a permission. */
export function pushedConfig(groups: readonly string[]): fc.Arbitrary<string> {
  const rule = fc.record({
    group: fc.constantFrom(...groups),
    action: fc.constantFrom("", "", "deny ", "block ", "interactive ", "batch "),
    force: fc.constantFrom("", "+force "),
    range: fc.constantFrom(...ranges),
  });
  const lines = fc
    .tuple(
      fc.constantFrom(...permissions),
      fc.uniqueArray(rule, { minLength: 1, maxLength: 3, selector: ({ group }) => group }),
    )
    .map(([name, rules]) => ({
      name,
      text: rules
        .map(({ group, action, force, range }) => {
          const votes = /label/i.test(name) ? range : "";
          return `\t${name} = ${action}${force}${votes}group ${group}\n`;
        })
        .join(""),
    }));
  const section = fc
    .record({
      ref: fc.constantFrom(...refs),
      comment: fc.constantFrom("", "\t# a comment\n"),
      permissions: fc.uniqueArray(lines, { maxLength: 4, selector: ({ name }) => name.toLowerCase() }),
      exclusive: fc.subarray(["push", "owner", "Read", "submit", "label-Code-Review", "create", "nonsense"]),
    })
    .map(({ ref, comment, permissions: all, exclusive }) => {
      // An exclusive permission without rules cannot be imported.
      const flags = exclusive.filter((flag) => all.some(({ name }) => name.toLowerCase() === flag.toLowerCase()));
      const flag = flags.length === 0 ? "" : `\texclusiveGroupPermissions = ${flags.join("  ")}\n`;
      return { ref, text: `[access "${ref}"]\n${comment}${flag}${all.map(({ text }) => text).join("")}` };
    });
  return fc
    .tuple(fc.uniqueArray(section, { minLength: 1, maxLength: 5, selector: ({ ref }) => ref }), fc.subarray(others))
    .map(([sections, rest]) =>
      ["[access]\n\tinheritFrom = All-Projects\n", ...sections.map(({ text }) => text), ...rest].join(""),
    );
}

/** Returns the sections of a configuration that are not about access to refs, sorted: the server moves them. */
export function otherSections(config: string): readonly string[] {
  return config
    .split(/^(?=\[)/m)
    .filter((section) => !section.startsWith('[access "'))
    .sort();
}

/** Returns each rule of a project as one line. All spellings of a branch are one: a lock can be under any of them. */
export function rulesIn(answer: unknown): readonly string[] {
  const { local } = ProjectAccess.parse(answer);
  return Object.entries(local)
    .flatMap(([ref, section]) => {
      const place = ref.replace(/^\^(.*?)\$?$/, "$1");
      return Object.entries(section.permissions ?? {}).flatMap(([name, { exclusive = false, rules = {} }]) =>
        Object.entries(rules).map(([group, rule]) =>
          JSON.stringify([place, name.toLowerCase(), exclusive, group, rule]),
        ),
      );
    })
    .sort();
}
