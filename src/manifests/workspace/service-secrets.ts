import type { Problem } from "../../core/problem.ts";
import { variableOf } from "../../core/service.ts";
import { hasUserInfo } from "../../core/text/url-secret.ts";
import { quote } from "../../core/text/words.ts";
import { type ReportProblem, unseen } from "../yaml/source-text.ts";
import type { Entry, Key, Tree } from "../yaml/tree.ts";

/** Fields that people expect a service to have but that do not exist, and the variables to set instead. */
const variables: readonly (readonly [RegExp, string])[] = [
  [/^(access|auth|api|bearer|personal)?[-_]?tokens?$/i, "TOKEN"],
  [/^api[-_]?key$|^key$/i, "API_KEY"],
  [/^(pass(word|wd|phrase)?|pwd|secret|credentials?)$/i, "PASSWORD"],
  [/^(user|login)([-_]?name)?$/i, "USERNAME"],
];

/**
 * Returns the services of a workspace file without what looks like credentials. Reports SP1015 for a user or a password in
 * a URL, and SP1004 for a field such as `token`, with the variable to set. Neither shows the value or the line.
 */
export function withoutCredentials(services: Tree, report: ReportProblem): Tree {
  return mapEntries(services, (service) => ({
    ...service,
    value: mapEntries(service.value, (field) => {
      const { key, value } = field;
      const variable = variables.find(([name]) => name.test(key.name))?.[1];
      if (variable !== undefined) {
        report(fieldProblem(service.key, key, variable));
        return undefined;
      }
      if (key.name === "url") return { key, value: withoutUser(value, service.key, "", report) };
      if (key.name !== "urls") return field;
      const urls = mapEntries(value, (root) => ({
        ...root,
        value: withoutUser(root.value, service.key, `-${root.key.name}`, report),
      }));
      return { key, value: urls };
    }),
  }));
}

function mapEntries(tree: Tree, change: (entry: Entry) => Entry | undefined): Tree {
  if (tree.is !== "mapping") return tree;
  return { ...tree, entries: tree.entries.flatMap((entry) => change(entry) ?? []) };
}

/** Returns the URL; broken if it has a user, so that nothing else is reported about it. */
function withoutUser(url: Tree, service: Key, root: string, report: ReportProblem): Tree {
  if (url.is !== "scalar" || typeof url.value !== "string" || !hasUserInfo(url.value)) return url;
  const owner = { name: `${service.name}${root}` };
  const names = ["URL", "USERNAME", "PASSWORD"].map((name) => variableOf(owner, name)).join(", ");
  report({
    code: "SP1015",
    message: `The URL of ${quote(service.name)} has a user or a password.`,
    hint: `Leave them out, and set ${names} in the environment. If the file was pushed, replace the password.`,
    place: unseen(url),
  });
  return { ...url, value: null, written: "", broken: true };
}

function fieldProblem(service: Key, key: Key, variable: string): Problem {
  const names = ["URL", variable].map((name) => variableOf(service, name)).join(" and ");
  return {
    code: "SP1004",
    message: `services.${service.name} has no field ${quote(key.name)}: credentials never belong in a workspace.`,
    hint: `Set ${names} in the environment.`,
    place: unseen(key),
  };
}
