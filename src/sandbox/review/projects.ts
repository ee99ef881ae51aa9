import { hash } from "node:crypto";
import { type JsonObject, own } from "../../core/text/json.ts";
import { isAdmin } from "../accounts.ts";
import type { Answers, Asked } from "../exchange.ts";
import { found, Refusal } from "../refusal.ts";
import { formEncode } from "./access-view.ts";
import { countOf } from "./changes.ts";
import { branchesOf, lineOf, type ReviewProject, type ReviewState, rootProject } from "./state.ts";

/** Switches of a project with their values in the root project; an undefined one inherits its value. */
const switches: Readonly<Record<string, boolean | undefined>> = {
  use_contributor_agreements: false,
  use_content_merge: true,
  use_signed_off_by: false,
  create_new_change_for_all_not_in_target: undefined,
  require_change_id: true,
  reject_implicit_merges: undefined,
  private_by_default: undefined,
  work_in_progress_by_default: undefined,
  enable_reviewer_by_email: undefined,
  match_author_to_committer_date: undefined,
  reject_empty_commit: undefined,
  skip_adding_author_and_committer_as_reviewers: undefined,
};

/** Projects and their settings. */
export const projectAnswers = {
  listProjects(asked) {
    const { projects } = asked.state;
    // @see docs/facts.md, Review: a hidden project is in no list
    const names = Object.keys(projects)
      .filter((name) => projects[name]?.state !== "HIDDEN")
      .sort();
    const start = countOf(asked, "S");
    const end = start + (countOf(asked, "n") || names.length);
    const page = names.slice(start, end).map((name): [string, JsonObject] => {
      const { description, state } = requireProject(asked, name, name);
      const isCut = end < names.length && name === names[end - 1];
      const _more_projects = isCut || undefined;
      return [name, { id: formEncode(name), description: description || undefined, state, _more_projects }];
    });
    return { body: Object.fromEntries(page) };
  },

  getBranch(asked) {
    const { projectName = "", branchId = "" } = asked.params;
    const name = branchId.replace(/^refs\/heads\//, "");
    if (!branchesOf(requireProject(asked)).includes(name)) throw new Refusal(404, `Not found: ${branchId}`);
    const ref = `refs/heads/${name}`;
    return { body: { ref, revision: hash("sha1", `${projectName} ${ref}`) } };
  },

  getProjectConfig(asked) {
    const { projectName: name } = asked.params;
    const project = requireProject(asked);
    const inherited = project.parent === undefined ? "MERGE_IF_NECESSARY" : submitTypeOf(asked.state, project.parent);
    const isRoot = name === rootProject;
    return {
      body: {
        description: project.description,
        ...Object.fromEntries(
          Object.entries(switches).map(([key, on]) => [
            key,
            isRoot
              ? { configured_value: on === undefined ? "INHERIT" : on ? "TRUE" : "FALSE" }
              : { configured_value: "INHERIT", inherited_value: on ?? false },
          ]),
        ),
        max_object_size_limit: {},
        submit_type: project.submitType ?? inherited,
        default_submit_type: {
          value: project.submitType ?? inherited,
          configured_value: project.submitType ?? (isRoot ? inherited : "INHERIT"),
          inherited_value: inherited,
        },
        state: project.state === "ACTIVE" ? undefined : project.state,
        actions: isAdmin(asked.account) ? { gc: collectGarbage } : {},
        commentlinks: {},
        extension_panel_names: {},
      },
    };
  },
} satisfies Answers<ReviewState>;

const collectGarbage = {
  method: "POST",
  label: "Run GC",
  title: "Triggers the Git Garbage Collection for this project.",
  enabled: true,
};

/**
 * Returns the project with a name, by default the name in the path. Throws `Refusal`: 404 with `message` if there is none, 409
 * if it is hidden from the account.
 */
export function requireProject(
  { state, params, account }: Asked<ReviewState>,
  name = params.projectName ?? "",
  message = `Not found: ${name}`,
): ReviewProject {
  const project = found(own(state.projects, name), message);
  if (project.state === "HIDDEN" && !isAdmin(account))
    throw new Refusal(409, "project state HIDDEN does not permit read");
  return project;
}

function submitTypeOf(state: ReviewState, name: string): string {
  const types = lineOf(state.projects, name).map((one) => state.projects[one]?.submitType);
  return types.find((type) => type !== undefined) ?? "MERGE_IF_NECESSARY";
}
