import type { JsonObject } from "../../core/json.ts";
import type { Answer } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import { formEncode } from "./access-view.ts";
import { countOf } from "./changes.ts";
import { type ReviewProject, rootProject } from "./state.ts";

/** Switches of a project; the root project has some on and some off, and the rest inherit. */
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
  listProjects(world, asked) {
    const names = Object.keys(world.review.projects)
      .filter((name) => asked.account?.rights === "admin" || world.review.projects[name]?.state !== "HIDDEN")
      .sort();
    const start = countOf(asked, "S");
    const end = start + (countOf(asked, "n") || names.length);
    const page = names.slice(start, end).map((name): [string, JsonObject] => {
      const { description, state } = requireProject(world, name, name);
      return [name, { id: formEncode(name), ...(description ? { description } : {}), state }];
    });
    const last = page.at(-1)?.[1];
    return {
      body: Object.fromEntries(
        page.map(([name, view]) => [
          name,
          view === last && end < names.length ? { ...view, _more_projects: true } : view,
        ]),
      ),
    };
  },

  getProjectConfig(world, { params, account }) {
    const name = params.projectName ?? "";
    const project = requireProject(world, name, `Not found: ${name}`);
    const inherited = submitTypeOf(world, project.parent);
    const isRoot = name === rootProject;
    return {
      body: {
        ...(project.description === undefined ? {} : { description: project.description }),
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
        ...(project.state === "ACTIVE" ? {} : { state: project.state }),
        actions: account?.rights === "admin" ? { gc: collectGarbage } : {},
        commentlinks: {},
        extension_panel_names: {},
      },
    };
  },
} satisfies Record<string, Answer>;

const collectGarbage = {
  method: "POST",
  label: "Run GC",
  title: "Triggers the Git Garbage Collection for this project.",
  enabled: true,
};

/** The project of this name. Throws `Refusal` 404 with the message where there is none. */
export function requireProject(world: World, name: string, message: string): ReviewProject {
  const project = Object.hasOwn(world.review.projects, name) ? world.review.projects[name] : undefined;
  if (project === undefined) throw new Refusal(404, message);
  return project;
}

function submitTypeOf(world: World, name: string | undefined): string {
  const project = name === undefined ? undefined : world.review.projects[name];
  if (project === undefined) return "MERGE_IF_NECESSARY";
  return project.submitType ?? submitTypeOf(world, project.parent);
}
