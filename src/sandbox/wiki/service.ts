import { hash } from "node:crypto";
import { z } from "zod";
import { wikiOperations } from "../../clients/wiki/operations.ts";
import { own } from "../../core/text/json.ts";
import { type Account, known } from "../accounts.ts";
import type { Answers, Asked } from "../exchange.ts";
import { found, foundIn, notModelled, Refusal } from "../refusal.ts";
import { readJsonBody } from "../request.ts";
import { standIn } from "../stand-in.ts";
import { encodings, pluginTokenAnswers, signedIn } from "../tokens/answers.ts";
import { wikiContents } from "./default-contents.ts";
import { storeMarkup } from "./markup.ts";
import { currentVersion, type WikiPage, WikiState } from "./state.ts";

/** The maximum length of a version message. @see docs/facts.md, wiki */
const messageLength = 255;

const PageInput = z.object({
  id: z.string().optional(),
  type: z.literal("page"),
  title: z.string().trim().min(1).max(255),
  space: z.object({ key: z.string() }).optional(),
  version: z.object({ number: z.int(), message: z.string().optional(), minorEdit: z.boolean().optional() }),
  body: z.object({ storage: z.object({ value: z.string(), representation: z.literal("storage") }) }),
  ancestors: z.array(z.object({ id: z.union([z.string(), z.int().transform(String)]) })).optional(),
});

/** The parts of a page that `expand` can name. */
const expandable = ["ancestors", "body.storage", "space", "version"];

const answers = {
  getCurrentUser({ account }) {
    const user = known(account);
    return { body: { type: "known", username: user.username, userKey: userKey(user), displayName: user.name } };
  },

  getServerManifest: ({ state: { version }, base }) => ({
    body: { id: "0b6d4f3e-5a0c-3f64-9c1e-7d2a8f0b4c11", name: "Wiki", typeId: "confluence", version, url: base },
  }),

  getPage(asked) {
    const expand = (asked.query.get("expand") ?? "space,version").split(",");
    const other = expand.find((name) => !expandable.some((part) => `${name}.`.startsWith(`${part}.`)));
    if (other !== undefined) throw notModelled(`expand=${other}`);
    return { body: viewPage(asked, requirePage(asked), expand) };
  },

  updatePage(asked) {
    const { state, params, account, now } = asked;
    const { pageId: id = "" } = params;
    const page = requirePage(asked);
    if (account?.rights === "reader") throw new Refusal(403, "User does not have permission to edit this content");
    const input = readJsonBody(asked, PageInput);
    const current = currentVersion(page);
    if (input.id !== undefined && input.id !== id)
      throw new Refusal(400, `Content id ${input.id} is not that of the path`);
    if (input.version.number !== current + 1)
      throw new Refusal(409, `Version must be incremented on update. Current version is: ${current}`);
    const updated: WikiPage = {
      space: input.space?.key ?? page.space,
      title: input.title,
      body: storeMarkup(input.body.storage.value, { id, space: page.space, pages: state.pages }),
      ancestors: readAncestors(state, id, input),
      versions: [
        ...page.versions,
        {
          number: current + 1,
          message: (input.version.message ?? "").slice(0, messageLength),
          by: account?.username ?? "",
          when: new Date(now).toISOString(),
          minorEdit: input.version.minorEdit ?? false,
        },
      ],
    };
    requirePlace(state, id, updated);
    return { body: viewPage(asked, updated, expandable), changes: { pages: { ...state.pages, [id]: updated } } };
  },

  ...pluginTokenAnswers(userKey),
} satisfies Answers<WikiState>;

/** The wiki (Confluence). @see docs/facts.md, wiki */
export const wikiStandIn = standIn({
  state: WikiState,
  contents: wikiContents,
  operations: wikiOperations,
  answers,
  signIn: "password",
  realm: "Wiki",

  identify: (request) => known(signedIn(request), "Client must be authenticated to access this resource."),

  ...encodings("application/json", (message, status) => {
    const isAuthorized = status !== 401 && status !== 403;
    const data = { authorized: isAuthorized, valid: status !== 400, errors: [], successful: false };
    return { statusCode: status, data, message };
  }),
});

function requirePage({ state, params }: Asked<WikiState>): WikiPage {
  return found(own(state.pages, params.pageId ?? ""), `No content found with id: ContentId{id=${params.pageId}}`);
}

/** Returns the pages above the new parent, and the parent. Without ancestors the page moves to the top of its space. */
function readAncestors({ pages }: WikiState, id: string, { ancestors }: z.infer<typeof PageInput>): string[] {
  const parent = ancestors?.at(-1)?.id;
  if (parent === undefined) return [];
  const above = own(pages, parent);
  if (above === undefined || parent === id || above.ancestors.includes(id))
    throw new Refusal(400, `Ancestor ${parent} is no page that this one can be under`);
  return [...above.ancestors, parent];
}

function requirePlace({ pages }: WikiState, id: string, { space, title }: WikiPage): void {
  foundIn(Object.values(pages), (page) => page.space === space, `No space with key : ${space}`);
  const taken = Object.entries(pages).some(
    ([other, page]) => other !== id && page.space === space && page.title.toLowerCase() === title.toLowerCase(),
  );
  if (taken)
    throw new Refusal(400, `A page with this title already exists: A page already exists with the title ${title}`);
}

/** Returns a page's id, type, status and title, and the parts that `expand` names; naming an inner part shows its parents. */
function viewPage({ state, accounts, params }: Asked<WikiState>, page: WikiPage, expand: readonly string[]) {
  const named = (part: string) => expand.some((name) => name === part || name.startsWith(`${part}.`));
  const { by, ...version } = page.versions.at(-1) ?? {};
  const displayName = accounts.find(({ username }) => username === by)?.name ?? by;
  const viewTitle = (id: string, { title }: WikiPage) => ({ id, type: "page", status: "current", title });
  const parts = {
    space: { key: page.space, type: "global" },
    version: { by: { type: "known", username: by, displayName }, ...version },
    ancestors: page.ancestors.flatMap((id) => {
      const ancestor = state.pages[id];
      return ancestor === undefined ? [] : [viewTitle(id, ancestor)];
    }),
  };
  return {
    ...viewTitle(params.pageId ?? "", page),
    ...Object.fromEntries(Object.entries(parts).filter(([part]) => named(part))),
    body: named("body.storage") ? { storage: { value: page.body, representation: "storage" } } : undefined,
    _links: { webui: `/pages/viewpage.action?pageId=${params.pageId}` },
  };
}

/** Returns the key of an account: 32 hexadecimal digits. */
function userKey({ username }: Account): string {
  return hash("sha256", username).slice(0, 32);
}
