import { z } from "zod";
import { own } from "../../core/text/json.ts";
import type { Answers } from "../exchange.ts";
import { nextId } from "../lists.ts";
import { found } from "../refusal.ts";
import { readForm, requireAbsent } from "./form.ts";
import type { AnalysisState } from "./state.ts";

const source = { sourceURL: z.url(), sourceAdmin: z.string(), sourcePassword: z.string().default("") };

/** The server as a whole, and imports from other servers, which end immediately. */
export const serverAnswers = {
  version: ({ state }) => ({ body: [state.version] }),

  licenseCount(asked) {
    const { feature } = readForm(asked, { feature: z.string().optional() });
    const { licenses } = asked.state;
    if (feature === undefined) return { body: licenses };
    const license = licenses.find((other) => other.feature === feature);
    return { body: [found(license, `Feature ${feature} is not licensed`)] };
  },

  taskStatus: ({ state }) => ({ body: state.tasks }),

  importStatus: ({ state }) => ({ body: state.imports }),

  importServerConfiguration(asked) {
    const { sourceURL } = readForm(asked, source);
    const { sources, imports, users, groups, roles } = asked.state;
    const { users: more = [], groups: moreGroups = [], roles: moreRoles = [] } = own(sources, sourceURL) ?? {};
    return {
      changes: {
        imports: [...imports, { source: sourceURL, status: "Completed" }],
        users: withMissing(users, more),
        groups: withMissing(groups, moreGroups),
        roles: withMissing(roles, moreRoles),
      },
    };
  },

  importProject(asked) {
    const { project, sourceURL } = readForm(asked, { project: z.string(), ...source });
    const { projects, imports } = asked.state;
    const name = requireAbsent("Project", projects, project);
    return {
      changes: {
        projects: [...projects, { id: String(nextId(projects)), name, creator: asked.account?.username }],
        imports: [...imports, { project, source: sourceURL, status: "Completed" }],
      },
    };
  },
} satisfies Answers<AnalysisState>;

/** Returns the records together with those of `others` whose names are missing among them. */
function withMissing<R extends { readonly name: string }>(records: readonly R[], others: readonly R[]): R[] {
  return [...records, ...others.filter(({ name }) => !records.some((record) => record.name === name))];
}
