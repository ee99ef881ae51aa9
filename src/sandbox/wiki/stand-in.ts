import { createHash } from "node:crypto";
import { z } from "zod";
import { wikiOperations } from "../../clients/wiki/operations.ts";
import { describeIssues } from "../../core/issues.ts";
import { type Account, authorized } from "../accounts.ts";
import type { Answer, Answered, Asked, Reply, ServiceRequest, StandIn } from "../exchange.ts";
import { jsonBody, mediaType } from "../json-body.ts";
import { Refusal } from "../refusal.ts";
import { routesOf } from "../route.ts";
import { tokenAccounts, tokenAnswers } from "../tokens/answers.ts";
import type { World } from "../world.ts";
import { storeMarkup } from "./markup.ts";
import { currentVersion, type WikiPage } from "./state.ts";

/** What a version message is cut at. @see facts.md, tracker and wiki */
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

const answers = {
  getCurrentUser(world, { account }) {
    if (account === undefined) throw new Refusal(401);
    const { username, name } = account;
    return { body: { type: "known", username, userKey: userKey(world, account), displayName: name } };
  },

  getServerManifest: ({ wiki: { version } }, { base }) => ({
    body: { id: "0b6d4f3e-5a0c-3f64-9c1e-7d2a8f0b4c11", name: "Wiki", typeId: "confluence", version, url: base },
  }),

  getPage(world, asked) {
    const id = asked.params.pageId ?? "";
    const expand = asked.query.get("expand") ?? "history,space,version";
    return { body: viewPage(world, id, requirePage(world, id), expand.split(",")) };
  },

  updatePage(world, asked) {
    const id = asked.params.pageId ?? "";
    const page = requirePage(world, id);
    if (asked.account?.rights === "reader")
      throw new Refusal(403, "User does not have permission to edit this content");
    const input = readInput(asked);
    const current = currentVersion(page);
    if (input.id !== undefined && input.id !== id)
      throw new Refusal(400, `Content id ${input.id} is not that of the path`);
    if (input.version.number !== current + 1)
      throw new Refusal(409, `Version must be incremented on update. Current version is: ${current}`);
    const updated: WikiPage = {
      space: input.space?.key ?? page.space,
      title: input.title,
      body: storeMarkup(input.body.storage.value, {
        page: id,
        versionOf: (title, space) => findVersion(world, title, space ?? page.space),
        versionOfId: (linked) =>
          Object.hasOwn(world.wiki.pages, linked) ? currentVersion(requirePage(world, linked)) : undefined,
      }),
      ancestors: readAncestors(world, id, input),
      versions: [
        ...page.versions,
        {
          number: current + 1,
          message: (input.version.message ?? "").slice(0, messageLength),
          by: asked.account?.username ?? "",
          minorEdit: input.version.minorEdit ?? false,
        },
      ],
    };
    requirePlace(world, id, updated);
    const changed = { ...world, wiki: { ...world.wiki, pages: { ...world.wiki.pages, [id]: updated } } };
    const expand = ["ancestors", "body.storage", "space", "version"];
    return { body: viewPage(changed, id, updated, expand), world: changed };
  },

  ...tokenAnswers("wiki", userKey),
} satisfies Record<keyof typeof wikiOperations, Answer>;

/** The wiki (Confluence). @see facts.md, tracker and wiki */
export const wikiStandIn: StandIn = { routes: routesOf(wikiOperations), answers, identify, encode, refuse };

function requirePage(world: World, id: string): WikiPage {
  const page = Object.hasOwn(world.wiki.pages, id) ? world.wiki.pages[id] : undefined;
  if (page === undefined) throw new Refusal(404, `No content found with id: ContentId{id=${id}}`);
  return page;
}

function readInput(asked: Asked): z.infer<typeof PageInput> {
  if (mediaType(asked) !== "application/json") throw new Refusal(415, "Unsupported Media Type");
  const body = jsonBody(asked);
  if (body === undefined) throw new Refusal(400, "Could not read the body as JSON");
  const input = PageInput.safeParse(body.json);
  if (input.success) return input.data;
  throw new Refusal(400, describeIssues(input.error.issues, body.json, "the body"));
}

/** The pages above the new parent, and the parent. Without ancestors the page moves to the top of its space. */
function readAncestors(world: World, id: string, { ancestors }: z.infer<typeof PageInput>): string[] {
  const parent = ancestors?.at(-1)?.id;
  if (parent === undefined) return [];
  const above = Object.hasOwn(world.wiki.pages, parent) ? world.wiki.pages[parent] : undefined;
  if (above === undefined || parent === id || above.ancestors.includes(id))
    throw new Refusal(400, `Ancestor ${parent} is no page that this one can be under`);
  return [...above.ancestors, parent];
}

function requirePlace(world: World, id: string, { space, title }: WikiPage): void {
  if (!Object.values(world.wiki.pages).some((page) => page.space === space))
    throw new Refusal(404, `No space with key : ${space}`);
  const taken = Object.entries(world.wiki.pages).some(
    ([other, page]) => other !== id && page.space === space && page.title.toLowerCase() === title.toLowerCase(),
  );
  if (taken)
    throw new Refusal(400, `A page with this title already exists: A page already exists with the title ${title}`);
}

function findVersion(world: World, title: string, space: string): number | undefined {
  const page = Object.values(world.wiki.pages).find((other) => other.title === title && other.space === space);
  return page === undefined ? undefined : currentVersion(page);
}

/** Beyond id, type, status and title a page shows what `expand` names; naming an inner part shows what is around it. */
function viewPage(world: World, id: string, page: WikiPage, expand: readonly string[]) {
  const named = (part: string) => expand.some((name) => name === part || name.startsWith(`${part}.`));
  const version = page.versions.at(-1);
  const author = world.accounts.find(({ username }) => username === version?.by);
  return {
    id,
    type: "page",
    status: "current",
    title: page.title,
    ...(named("space") ? { space: { key: page.space, type: "global" } } : {}),
    ...(named("version")
      ? {
          version: {
            by: { type: "known", username: version?.by, displayName: author?.name ?? version?.by },
            message: version?.message,
            number: version?.number,
            minorEdit: version?.minorEdit,
          },
        }
      : {}),
    ...(named("ancestors")
      ? {
          ancestors: page.ancestors.map((ancestor) => ({
            id: ancestor,
            type: "page",
            status: "current",
            title: world.wiki.pages[ancestor]?.title,
          })),
        }
      : {}),
    ...(named("body.storage") ? { body: { storage: { value: page.body, representation: "storage" } } } : {}),
    _links: { webui: `/pages/viewpage.action?pageId=${id}` },
  };
}

/** The key of an account: 32 hexadecimal digits. */
function userKey(_world: World, { username }: Account): string {
  return createHash("sha256").update(username).digest("hex").slice(0, 32);
}

function identify(world: World, request: ServiceRequest) {
  const known = [...world.accounts, ...tokenAccounts(world, "wiki", request)];
  const account = authorized(known, request.headers.authorization ?? "", ["basic", "bearer"]);
  if (account === undefined) throw new Refusal(401, "Client must be authenticated to access this resource.");
  return account;
}

/** Successes carry `Retry-After: 0`. @see facts.md, across services */
function encode(_world: World, { status, body }: Answered): Reply {
  return {
    status: status ?? 200,
    headers: { "content-type": "application/json", "retry-after": "0" },
    body: JSON.stringify(body),
  };
}

/** The token plugin words its errors itself, and gives them as details. */
function refuse(_world: World, { status, message, headers, details }: Refusal): Reply {
  return {
    status,
    headers: {
      ...headers,
      ...(status === 401 ? { "www-authenticate": 'Basic realm="Wiki"' } : {}),
      "content-type": "application/json",
    },
    body: JSON.stringify(
      details ?? {
        statusCode: status,
        data: { authorized: status !== 401 && status !== 403, valid: status !== 400, errors: [], successful: false },
        message: message || (defaultMessages[status] ?? "Internal Server Error"),
      },
    ),
  };
}

const defaultMessages: Readonly<Record<number, string>> = {
  400: "Bad Request",
  404: "null for uri",
  405: "HTTP 405 Method Not Allowed",
  413: "Request Entity Too Large",
};
