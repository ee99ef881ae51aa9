import { z } from "zod";
import type { Answer } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { readForm } from "./form.ts";
import { changed, nextId, requireAbsent, requireAdmin } from "./records.ts";

const source = { sourceURL: z.url(), sourceAdmin: z.string(), sourcePassword: z.string().default("") };

/** The server as a whole, and what comes from other servers. Imports are done at once. */
export const serverAnswers = {
  version(world) {
    return { body: [world.analysis.version] };
  },

  licenseCount(world, asked) {
    const { feature } = readForm(asked, { feature: z.string().optional() });
    const { licenses } = world.analysis;
    if (feature === undefined) return { body: licenses };
    const license = licenses.find((other) => other.feature === feature);
    if (license === undefined) throw new Refusal(404, `Feature ${feature} is not licensed`);
    return { body: [license] };
  },

  taskStatus(world) {
    return { body: world.analysis.tasks };
  },

  importStatus(world) {
    return { body: world.analysis.imports };
  },

  importServerConfiguration(world, asked) {
    requireAdmin(asked);
    const { sourceURL } = readForm(asked, source);
    return changed(world, { imports: [...world.analysis.imports, { source: sourceURL, status: "Completed" }] });
  },

  importProject(world, asked) {
    requireAdmin(asked);
    const { project, sourceURL } = readForm(asked, { project: z.string(), ...source });
    const { projects, imports } = world.analysis;
    requireAbsent("Project", projects, project);
    return changed(world, {
      projects: [...projects, { id: String(nextId(projects)), name: project, creator: asked.account?.username }],
      imports: [...imports, { project, source: sourceURL, status: "Completed" }],
    });
  },
} satisfies Record<string, Answer>;
