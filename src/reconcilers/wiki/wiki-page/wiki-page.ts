import { z } from "zod";
import type { WikiOperations, WikiPageRecord, WikiReader } from "../../../clients/wiki/operations.ts";
import { type CallOf, callOf } from "../../../core/call.ts";
import type { Writable } from "../../../core/change.ts";
import type { Kind } from "../../../core/kind.ts";
import { ProblemError, unlessMissing } from "../../../core/problem.ts";
import { inlined, Text } from "../../shared/fields.ts";
import { observeAll } from "../../shared/told.ts";
import { rendered } from "./markdown.ts";
import { linkedMarkup } from "./page-links.ts";
import { canonicalMarkup, findMistake, readMarkup } from "./storage-format.ts";
import { editsOf, markIn, versionMark } from "./version-mark.ts";

const call = callOf<WikiOperations>();

const Body = z
  .strictObject({
    storage: checkedText((markup) => findMistake(markup) ?? [])
      .optional()
      .describe("The wiki's own storage markup (XHTML with `ac:` and `ri:` elements)."),
    markdown: checkedText((text) => rendered(text).mistakes)
      .optional()
      .describe(
        "Markdown with tables; code blocks become code macros, and links to other pages' files become links to those pages. Images are named by their URLs. No raw HTML except for `<br>`, `<sub>`, `<sup>` and `<u>`.",
      ),
    file: Text.optional().describe(
      "A file beside the manifest: Markdown if its name ends in `.md`, otherwise storage markup.",
    ),
  })
  .refine(
    (body) => Object.values(body).filter((form) => form !== undefined).length === 1,
    "expected exactly one of storage, markdown or file",
  )
  .meta({ minProperties: 1, maxProperties: 1, description: "Content of the page, in exactly one of three forms." });
type Body = z.infer<typeof Body>;

const WikiPage = z.strictObject({
  id: z
    .string('expected the id of the page in quotes, such as "48213"')
    .regex(/^[1-9][0-9]*$/, 'expected the id of the page, such as "48213"')
    .describe("Id of the page, from its URL or page information."),
  // @see docs/facts.md, Wiki: at most 255 characters
  title: Text.max(255)
    .refine((title) => title === title.trim(), "expected a title without leading or trailing spaces")
    .optional()
    .describe("Title of the page."),
  body: Body.optional(),
  space: Text.optional().describe("Key of the space that the page must be in. Checked, never changed."),
});
type WikiPage = z.infer<typeof WikiPage>;

/** The page as read: a write sends all of it again, with the next version. */
interface PageMarker {
  readonly version: number;
  readonly title: string;
  readonly space: string;
  readonly parent: string | undefined;
  /** Storage markup. */
  readonly body: string;
}

/**
 * The title and body of an existing page.
 *
 * The server rewrites the markup that it receives. Both sides are compared in canonical form, and unknown rewriting is
 * recognised by the mark that a write leaves at the start of its version message.
 * @see docs/facts.md, wiki
 */
export const wikiPage: Kind<WikiPage, WikiOperations, PageMarker | undefined> = {
  kind: "WikiPage",
  role: "wiki",
  summary: "Title and body of a page.",
  spec: WikiPage,
  budget: { reads: "1 getPage per page", writes: "1 updatePage per page" },
  notes: `The page must exist: the service documents no operation that creates, moves, deletes, lists or finds pages, so an
import needs their ids.

A relative link in Markdown to the \`.md\` file that is another declared page's body, such as \`[dates](calendar.md#2026)\`,
becomes a link to that page by its id, and to the heading if one is named. Such links may be circular. A code block has a language that
the wiki's code macro has, a similar one such as \`js\` for \`json\`, or none: for any other the macro shows an error.

The wiki rewrites the markup that it stores. Differences that do not matter are ignored: order of attributes and of a macro's
parameters, white space between blocks, comments, entities, and ids and versions that the server adds. So are the comments of
readers on a part of the text, which the wiki keeps in the markup: they are no difference, but if the body is written for another
reason, the wiki marks them as resolved. The last write is also recognised by a mark in
the version message (\`setpoint:\` and a 12-digit hash of the body and the version), so however the server rewrites it, it
is not a difference. Anyone who copies such a mark on purpose, with the right digits, can hide an edit.`,
  permanent: true,
  key: (spec) => spec.id,
  scope: (spec) => `page ${spec.id}`,
  // @see docs/facts.md, Wiki: no two titles of a space differ by case alone
  claims: ({ title, space }, marker) =>
    [...new Set([space, marker?.space])].flatMap((key) =>
      title === undefined || key === undefined ? [] : [`the title ${JSON.stringify(title.toLowerCase())} in ${key}`],
    ),

  inline(spec, read) {
    const file = spec.body?.file;
    if (file === undefined) return spec;
    const text = read(file);
    const body = inlined(Body, /\.md$/i.test(file) ? { markdown: text } : { storage: text }, file);
    return { ...spec, body: { ...body, file } };
  },

  link(spec, pagesOf) {
    const storage = linkedMarkup(spec, pagesOf);
    // Only links depend on the file that contains them; from here on, the body is the content of the file.
    const { file: _file, ...body } = storage === undefined ? (spec.body ?? {}) : { storage };
    return spec.body === undefined ? spec : { ...spec, body };
  },

  observe: (read, _scope, wanted) =>
    observeAll(wanted, wikiPage, async ({ id }) => {
      const page = await readPage(read, id);
      if (page === undefined) return { is: "absent", marker: undefined };
      const { title, version, ancestors = [] } = page;
      const space = page.space.key;
      const body = page.body.storage.value;
      const mark = markIn(version.message);
      const written = wanted.find(
        (one) => mark && one.body && mark === versionMark(markupOf(one.body), version.number),
      );
      const marker = { version: version.number, title, space, parent: ancestors.at(-1)?.id, body };
      const spec = { id, title, space, body: written?.body ?? { storage: body } };
      return { is: "present", spec, marker, events: editsOf(version) };
    }),

  normalize: ({ body, ...spec }) => (body === undefined ? spec : { ...spec, body: canonicalMarkup(markupOf(body)) }),

  needsPerson(change) {
    if (change.action === "create")
      return `Create the page manually and put its id here, or give the account access to page ${change.key}.`;
    const isElsewhere = change.action === "update" && change.fields.some(({ path }) => path[0] === "space");
    return isElsewhere ? "Move the page to the space manually, or correct `space`." : undefined;
  },

  compile: (changes) => changes.flatMap(updateCalls),
};

/** Returns the schema of a string in which `mistakesIn` finds nothing. */
function checkedText(mistakesIn: (text: string) => string | readonly string[]): z.ZodString {
  return z.string().superRefine((text, context) => {
    for (const message of [mistakesIn(text)].flat()) context.addIssue({ code: "custom", message });
  });
}

/** Reads the live page; undefined if it does not exist or the account may not see it. */
async function readPage(read: WikiReader, id: string): Promise<WikiPageRecord | undefined> {
  const page = await unlessMissing(read.getPage({ pageId: id }));
  if (page === undefined) return undefined;
  const refuse = (message: string) => new ProblemError({ code: "SP3103", operation: "getPage", message });
  if (page.type !== "page") throw refuse(`${id} is a ${page.type}, not a page.`);
  const reading = readMarkup(page.body.storage.value);
  if (reading.is === "malformed") throw refuse(`The markup of page ${id} cannot be read: ${reading.mistake}.`);
  return page;
}

/**
 * Returns one call with the whole page: parts that are not managed are sent as read.
 * @see docs/facts.md, wiki: PUT echoes the last of the ancestors
 */
function updateCalls(change: Writable<WikiPage, PageMarker | undefined>): readonly CallOf<WikiOperations>[] {
  const { action, key, marker } = change;
  if (action !== "update" || marker === undefined) return [];
  const { title = marker.title, body } = change.desired;
  const markup = body === undefined ? marker.body : markupOf(body);
  // The live markup also has the comments of readers.
  const sent = change.fields.some(({ path }) => path[0] === "body") ? markup : marker.body;
  const number = marker.version + 1;
  const args = {
    pageId: key,
    id: key,
    type: "page" as const,
    title,
    space: { key: marker.space },
    version: { number, message: `${versionMark(markup, number)} Written by setpoint.`, minorEdit: true },
    body: { storage: { value: sent, representation: "storage" as const } },
    ancestors: marker.parent === undefined ? undefined : [{ id: marker.parent }],
  };
  return [call("updatePage", args, [change])];
}

/** Returns the body as storage markup. */
function markupOf({ storage, markdown, file }: Body): string {
  if (storage !== undefined) return storage;
  if (markdown !== undefined) return rendered(markdown).markup;
  throw new ProblemError({ code: "SP1017", message: `The file ${file} has not been read.` });
}
