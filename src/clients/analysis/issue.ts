import { z } from "zod";
import { readAction, wholeList, writeAction } from "./action.ts";
import { SearchQuery } from "./query.ts";
import { IdList, IssueRecord, SearchRecord } from "./records.ts";

/** Actions on issues. @see docs/api/analysis.md */
export const issueOperations = {
  issueDetails: readAction("issue_details", {
    summary: "One issue of a project.",
    args: z.object({ project: z.string(), id: z.union([z.string(), z.int()]) }),
    result: z.array(IssueRecord),
  }),
  search: readAction("search", {
    summary: "Issues of a project that a query, a view or both select. Cut at `limit`, without one at 1000.",
    args: z.object({
      project: z.string(),
      query: SearchQuery.optional(),
      view: z.string().optional(),
      limit: z.int().optional(),
      summary: z.boolean().optional().describe("Whether a summary record is among the records."),
    }),
    result: z.array(SearchRecord),
    paging: wholeList,
  }),
  updateStatus: writeAction("update_status", {
    summary: "Changes status, owner or both of issues, with a comment.",
    repeatable: false,
    args: z.object({
      project: z.string(),
      ids: IdList,
      status: z.string().optional(),
      comment: z.string().optional(),
      owner: z.string().optional(),
    }),
    result: z.unknown(),
  }),
} as const;
