import { z } from "zod";
import { readAction, writeAction } from "./action.ts";
import { SearchQuery } from "./query.ts";
import { ChurnRecord, MetricRecord, NameList, ReportRecord, ViewRecord } from "./records.ts";

/** Actions on views and figures. @see docs/api/analysis.md */
export const reportOperations = {
  views: readAction("views", {
    summary: "Views of a project: named queries.",
    args: z.object({ project: z.string() }),
    result: z.array(ViewRecord),
  }),
  createView: writeAction("create_view", {
    summary: "Creates a view of a project.",
    repeatable: false,
    args: z.object({ project: z.string(), name: z.string(), query: SearchQuery }),
    result: z.unknown(),
  }),
  deleteView: writeAction("delete_view", {
    summary: "Deletes a view of a project.",
    repeatable: false,
    args: z.object({ project: z.string(), name: z.string() }),
    result: z.unknown(),
  }),
  updateView: writeAction("update_view", {
    summary: "Changes what is sent of a view: its tags and, on the real server, name, query and publicity.",
    repeatable: false,
    args: z.object({
      project: z.string(),
      name: z.string(),
      tags: NameList.optional(),
      new_name: z.string().optional(),
      query: SearchQuery.optional(),
      is_public: z.boolean().optional(),
    }),
    result: z.unknown(),
  }),
  fchurns: readAction("fchurns", {
    summary: "How often files of a component changed. The shape is unconfirmed.",
    args: z.object({ component: z.string().optional() }),
    result: z.array(ChurnRecord),
  }),
  metrics: readAction("metrics", {
    summary: "Metrics of a project's files, functions and classes. The shape is unconfirmed.",
    args: z.object({ project: z.string(), query: SearchQuery.optional() }),
    result: z.array(MetricRecord),
  }),
  report: readAction("report", {
    summary: "Numbers of issues by two of their properties: `x` across, `y` down. The shape is unconfirmed.",
    args: z.object({
      project: z.string(),
      build: z.string().optional(),
      x: z.string().optional(),
      y: z.string().optional(),
    }),
    result: z.array(ReportRecord),
  }),
} as const;
