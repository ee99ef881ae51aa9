import { z } from "zod";

/** The documents name no field of a user, so few are required here. @see docs/api/tracker.md, users */
export const TrackerUserRecord = z.object({
  name: z.string(),
  key: z.string().optional(),
  displayName: z.string().optional(),
  emailAddress: z.string().optional(),
  active: z.boolean().optional(),
  timeZone: z.string().optional(),
  locale: z.string().optional(),
});
export type TrackerUserRecord = z.infer<typeof TrackerUserRecord>;

/** A preference's value, sent as a JSON string or as the text itself. */
export const PreferenceValue = z.string().transform((text) => {
  const quoted = z.string().safeParse(/^".*"$/s.test(text) ? parseQuoted(text) : undefined);
  return quoted.success ? quoted.data : text;
});

function parseQuoted(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const Named = z.object({ name: z.string() });

/** An issue. Which fields there are is the caller's choice; those that the documents do not name are kept as they are. */
export const IssueRecord = z.object({
  id: z.string().optional(),
  key: z.string(),
  fields: z
    .looseObject({
      summary: z.string().nullish(),
      status: Named.nullish(),
      issuetype: Named.nullish(),
      updated: z.string().nullish(),
      created: z.string().nullish(),
      attachment: z
        .array(
          z.object({
            id: z.string(),
            content: z.string(),
            filename: z.string().optional(),
            size: z.int().optional(),
            mimeType: z.string().optional(),
          }),
        )
        .nullish(),
    })
    .optional(),
});
export type IssueRecord = z.infer<typeof IssueRecord>;

/** One page of a search. `maxResults` is the length of a page that the service gives, whatever was asked for. */
export const SearchResult = z.object({
  startAt: z.int().min(0),
  maxResults: z.int().min(0),
  total: z.int().min(0),
  issues: z.array(IssueRecord),
});
export type SearchResult = z.infer<typeof SearchResult>;

export const ProjectRecord = z.object({ id: z.string().optional(), key: z.string(), name: z.string() });
export type ProjectRecord = z.infer<typeof ProjectRecord>;
