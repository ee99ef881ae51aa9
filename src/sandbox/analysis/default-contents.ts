import type { z } from "zod";
import type { AnalysisState } from "./state.ts";

/** The static analysis server of the invented company. */
export const analysisContents: z.input<typeof AnalysisState> = {
  projects: [
    { id: "1", name: "core", creator: "admin", description: "Flight controller", tags: ["c", "safety"] },
    { id: "2", name: "bootloader", creator: "jdoe" },
  ],
  users: [{ name: "admin", readonly: true }, { name: "auditor" }, { name: "jdoe" }, { name: "mlind" }],
  groups: [
    { name: "firmware", users: ["jdoe", "mlind"] },
    { name: "quality", users: ["auditor"] },
  ],
  roles: [
    { name: "Projects root", permissions: ["create_project", "manage_roles", "change_issue_status"] },
    { name: "Triage", permissions: ["change_issue_status"], allowed_status_transitions: "Analyze,Fix;Fix,Ignore" },
  ],
  assignments: [
    { role: "Projects root", account: "admin" },
    { role: "Triage", project: "2", account: "firmware", group: true },
  ],

  licenses: [
    { feature: "server", count: 1, permanent: true },
    { feature: "desktop", count: 25, days_to_expiry: 90 },
  ],
  churns: [
    { component: "flight", file: "/src/frame.c", changes: 9 },
    { component: "drivers", file: "/src/watchdog.c", changes: 2 },
  ],
  builds: [
    { project: "1", id: 1, name: "rel 2.3", date: 1_772_406_000_000, keepit: true },
    { project: "1", id: 2, name: "nightly-141", date: 1_790_719_200_000 },
    { project: "1", id: 3, name: "nightly-142", date: 1_790_805_600_000 },
    { project: "2", id: 4, name: "boot-7", date: 1_788_300_000_000 },
  ],
  modules: [
    { project: "1", name: "flight", paths: ["/src/frame*", "/src/pid/**"] },
    { project: "1", name: "drivers", allow_all: false, paths: ["/src/watchdog*"] },
  ],
  views: [
    {
      project: "1",
      id: 1,
      name: "New and critical",
      query: "state:New severity:1-2",
      creator: "admin",
      is_public: true,
      tags: ["triage"],
    },
  ],
  taxonomies: [
    { project: "1", name: "C and C++" },
    { project: "1", name: "Meridian rules", is_custom: true },
    { project: "2", name: "C and C++" },
  ],
  defectTypes: [
    { project: "1", code: "NPD.FUNC.MUST", name: "Result of a function is used without a check for null", severity: 1 },
    { project: "1", code: "ABV.GENERAL", name: "Buffer overflow", severity: 1 },
    { project: "1", code: "UNUSED.FUNC", name: "Function is not used", severity: 4, enabled: false },
  ],
  issues: [
    {
      project: "1",
      id: 101,
      code: "NPD.FUNC.MUST",
      title: "Null pointer is dereferenced",
      message: "Pointer 'frame' returned from 'next' may be null",
      severity: 1,
      file: "/src/frame.c",
      method: "parse",
      builds: ["nightly-141", "nightly-142"],
    },
    {
      project: "1",
      id: 102,
      code: "ABV.GENERAL",
      title: "Buffer overflow",
      message: "Array 'log' of size 64 may use index 64",
      severity: 2,
      state: "Existing",
      status: "Fix",
      owner: "jdoe",
      file: "/src/watchdog.c",
      method: "bark",
      builds: ["rel 2.3", "nightly-141", "nightly-142"],
    },
    {
      project: "1",
      id: 103,
      code: "UNUSED.FUNC",
      title: "Function is not used",
      severity: 4,
      file: "/src/pid/tune.c",
      builds: ["nightly-142"],
    },
  ],
  metrics: [
    { project: "1", filePath: "/src/frame.c", tag: "LOC_FILE", metricValue: 412 },
    { project: "1", filePath: "/src/watchdog.c", tag: "LOC_FILE", metricValue: 97 },
  ],
};
