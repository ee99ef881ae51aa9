import type { SandboxRole, World } from "../../src/sandbox/world.ts";
import type { Act } from "./universe.ts";

/** What someone else does to each service while setpoint is at work, to objects that manifests name and to others. */
const actsOn: Readonly<Record<SandboxRole, readonly Act[]>> = {
  analysis: [
    analysis(({ groups, ...rest }) => ({
      ...rest,
      groups: groups.map((group) => (group.name === "firmware" ? { ...group, users: ["mgarcia"] } : group)),
    })),
    analysis(({ roles, ...rest }) => ({
      ...rest,
      roles: roles
        .filter(({ name }) => name !== "Triage")
        .concat({ name: "Triage", permissions: ["manage_roles"], allowed_status_transitions: "" }),
    })),
    analysis(({ users, ...rest }) => ({
      ...rest,
      users: users.some(({ name }) => name === "newcomer") ? users : [...users, { name: "newcomer", readonly: false }],
    })),
  ],
  artifacts: [
    artifacts(({ tokens, ...rest }) => ({
      ...rest,
      tokens: tokens.some(({ token_id }) => token_id === "by-hand")
        ? tokens
        : [
            ...tokens,
            {
              token_id: "by-hand",
              username: "admin",
              scope: "applied-permissions/user",
              description: "by hand",
              issued: "2026-11-01T00:00:00.000Z",
              expires_in: 0,
              refreshable: false,
            },
          ],
    })),
    artifacts(({ items, ...rest }) => {
      const key = "libs-staging/shop/shop-7.war";
      const item = items[key];
      return {
        ...rest,
        items:
          item === undefined
            ? items
            : { ...items, [key]: { ...item, properties: { ...item.properties, "seen.by": ["stranger"] } } },
      };
    }),
  ],
  ci: [job("firmware/nightly", "<!-- edited by hand -->"), job("nobodys", "<!-- nobody's, edited -->")],
  hosting: [
    (world) => ({
      ...world,
      hosting: {
        ...world.hosting,
        repositories: world.hosting.repositories.map((one) =>
          one.name === "legacy-portal" ? { ...one, actions: { ...one.actions, enabled: true } } : one,
        ),
      },
    }),
  ],
  review: [
    (world) => {
      const name = "platform/core";
      const project = world.review.projects[name];
      if (project === undefined) return world;
      const section = {
        ...project.access["refs/heads/*"],
        abandon: {
          exclusive: false,
          rules: [{ group: "global:Registered-Users", action: "DENY" as const, force: false }],
        },
      };
      return {
        ...world,
        review: {
          ...world.review,
          projects: {
            ...world.review.projects,
            [name]: { ...project, access: { ...project.access, "refs/heads/*": section } },
          },
        },
      };
    },
  ],
  tracker: [
    (world) => ({
      ...world,
      tracker: {
        ...world.tracker,
        preferences: { ...world.tracker.preferences, rkumar: { "jira.user.locale": "fr_FR" } },
      },
    }),
  ],
  wiki: [page("48213", "<p>edited by hand</p>"), page("900", "<p>nobody's, edited</p>")],
};

export const acts: readonly Act[] = Object.values(actsOn).flat();

function analysis(change: (state: World["analysis"]) => World["analysis"]): Act {
  return (world) => ({ ...world, analysis: change(world.analysis) });
}

function artifacts(change: (state: World["artifacts"]) => World["artifacts"]): Act {
  return (world) => ({ ...world, artifacts: change(world.artifacts) });
}

function page(id: string, body: string): Act {
  return (world) => {
    const page = world.wiki.pages[id];
    if (page === undefined) return world;
    const version = { number: page.versions.length + 1, message: "", by: "jdoe", minorEdit: false };
    const edited = { ...page, body, versions: [...page.versions, version] };
    return { ...world, wiki: { ...world.wiki, pages: { ...world.wiki.pages, [id]: edited } } };
  };
}

function job(name: string, more: string): Act {
  return (world) => {
    const job = world.ci.jobs[name];
    if (job === undefined || job.config.endsWith(more)) return world;
    const jobs = { ...world.ci.jobs, [name]: { ...job, config: `${job.config}${more}` } };
    return { ...world, ci: { ...world.ci, jobs } };
  };
}
