import { grouped } from "../../core/text/words.ts";
import { isAdmin, readsAll } from "../accounts.ts";
import type { Answers, Asked } from "../exchange.ts";
import { wildcard } from "../lists.ts";
import { Refusal } from "../refusal.ts";
import { choiceIn, countIn } from "../request.ts";
import { below, childrenOf, type FoundItem, requireItem, requireRepository, select, viewItem } from "./items.ts";
import { type ArtifactRepository, type ArtifactsState, type Items, trashcan } from "./state.ts";

/** The most results of a search. @see docs/facts.md, artifacts */
const mostResults = 1000;

/** Storage, searches by name and by pattern, and repositories. */
export const storageAnswers = {
  listFolder(asked) {
    const folder = requireItem(asked);
    if (folder.item.file !== undefined) throw new Refusal(400, "Expected folder but found file");
    const asks = (name: string) => choiceIn(asked, name, ["0", "1"]) === "1";
    const depth = countIn(asked, "depth", Infinity, (text) => new Refusal(400, `depth is not a number: ${text}`));
    const deepest = asks("deep") ? depth : 1;
    const files = below(asked.state.items, folder.key)
      .map((found) => ({ ...found, path: found.key.slice(folder.key.length + 1) }))
      .filter(({ path }) => path.split("/").length <= deepest)
      .filter(({ item }) => item.file !== undefined || asks("listFolders"));
    const root = asks("includeRootPath") ? [{ ...folder, path: "" }] : [];
    return {
      body: {
        uri: storageUri(asked, folder.key),
        created: folder.item.created,
        files: [...root, ...files].map(({ item, path }) => ({
          uri: `/${path}`,
          size: item.file?.size ?? -1,
          lastModified: item.modified,
          folder: item.file === undefined,
          sha1: item.file?.sha1,
          sha2: item.file?.sha256,
          mdTimestamps:
            asks("mdTimestamps") && Object.keys(item.properties).length > 0 ? { properties: item.modified } : undefined,
        })),
      },
    };
  },

  getLastModified(asked) {
    const top = requireItem(asked);
    const newest = [top, ...below(asked.state.items, top.key)]
      .filter(({ item }) => item.file !== undefined)
      .reduce<FoundItem>(
        (best, found) => (Date.parse(found.item.modified) > Date.parse(best.item.modified) ? found : best),
        top,
      );
    return { body: { uri: storageUri(asked, newest.key), lastModified: newest.item.modified } };
  },

  getItem(asked) {
    const found = requireItem(asked);
    const children = found.item.file === undefined ? childrenOf(asked.state.items, found.key) : undefined;
    // A remote repository answers as its cache, any other as itself. @see docs/facts.md, Artifacts: a query for a repository
    const { repoKey } = asked.params;
    const isRemote = asked.state.repositories.some(({ key, type }) => key === repoKey && type === "REMOTE");
    const repo = isRemote ? `${repoKey}-cache` : repoKey;
    return { body: { ...viewItem(asked, found), repo, children, uri: storageUri(asked, found.key) } };
  },

  listTrash(asked) {
    if (!readsAll(asked.account)) throw new Refusal(403, "The trash is for administrators");
    const children = childrenOf(asked.state.items, trashcan);
    return { body: { repo: trashcan, path: "/", children, uri: storageUri(asked, trashcan) } };
  },

  searchArtifacts(asked) {
    const name = asked.query.get("name") ?? "";
    if (name === "") throw new Refusal(400, "The search term is empty");
    const places = (asked.query.get("repos") ?? "").split(",").filter((place) => place !== "");
    const matches = wildcard(`*${name}*`.toLowerCase());
    const found = stored(asked.state.items).filter(
      ({ key }) =>
        matches((key.split("/").at(-1) ?? "").toLowerCase()) &&
        (places.length === 0 || places.some((place) => key.startsWith(`${place.replace(/\/$/, "")}/`))),
    );
    return { body: { results: found.map(({ key }) => ({ uri: storageUri(asked, key) })).slice(0, mostResults) } };
  },

  searchPattern(asked) {
    const [repository = "", pattern = "", ...more] = (asked.query.get("pattern") ?? "").split(":");
    if (pattern === "" || more.length > 0) throw new Refusal(400, "Expected a pattern: repository:path");
    requireRepository(asked, repository);
    // A star stays within one folder.
    const matchers = `${repository}/${pattern}`.split("/").map(wildcard);
    const files = stored(asked.state.items)
      .filter(({ key }) => {
        const names = key.split("/");
        return names.length === matchers.length && matchers.every((matches, index) => matches(names[index] ?? ""));
      })
      .map(({ key }) => key.slice(repository.length + 1));
    const sourcePattern = `${repository}:${pattern}`;
    return { body: { repoUri: `${asked.base}/${repository}`, sourcePattern, files: files.slice(0, mostResults) } };
  },

  listRepositories: (asked) => ({ body: asked.state.repositories.map((one) => outlineOf(asked, one)) }),

  getRepository(asked) {
    const named = asked.state.repositories.find(({ key }) => key === asked.params.key);
    // Not 404, as for an item. @see docs/facts.md, Artifacts: `GET /api/repositories/{key}`
    if (named === undefined) throw new Refusal(400);
    const { members, ...repository } = named;
    if (!isAdmin(asked.account)) return { body: outlineOf(asked, repository) };
    const rclass = repository.type.toLowerCase();
    return { body: { ...repository, rclass, repositories: rclass === "virtual" ? members : undefined } };
  },

  getServerVersion: ({ state: { version } }) => ({ body: { version, revision: "79809900", addons: [] } }),

  getStorageInfo({ state, account }) {
    if (!readsAll(account)) throw new Refusal(403, "Storage information is for administrators");
    return { body: storageInfo(state) };
  },
} satisfies Answers<ArtifactsState>;

/** Returns what every user sees of a repository. @see docs/facts.md, Artifacts: `GET /api/repositories/{key}` */
function outlineOf({ base }: Asked, { key, type, packageType }: Omit<ArtifactRepository, "members">) {
  return { key, type, packageType, url: `${base}/${key}` };
}

/** Returns the URL of an item in the storage view. */
export function storageUri({ base }: Asked, key: string): string {
  return `${base}/api/storage/${key.split("/").map(encodeURIComponent).join("/")}`;
}

/** Returns the files that are not in the trash, ordered by key. */
function stored(items: Items): readonly FoundItem[] {
  return select(items, ({ key, item }) => item.file !== undefined && !key.startsWith(`${trashcan}/`));
}

/** Returns the storage summary, in which almost all values are strings for display. */
function storageInfo({ items, repositories }: ArtifactsState) {
  const files = stored(items);
  const binaries = new Map(files.map(({ item }) => [item.file?.sha256, item.file?.size ?? 0]));
  const used = sum(binaries.values());
  const all = sum(files.map(({ item }) => item.file?.size ?? 0));
  const total = 500 * 1024 ** 3;
  return {
    binariesSummary: {
      binariesCount: grouped(binaries.size),
      binariesSize: bytes(used),
      artifactsSize: bytes(all),
      optimization: share(all === 0 ? 1 : used / all),
      itemsCount: grouped(Object.keys(items).length),
      artifactsCount: grouped(files.length),
    },
    fileStoreSummary: {
      storageType: "file-system",
      storageDirectory: "/var/opt/artifacts/filestore",
      totalSpace: bytes(total),
      usedSpace: `${bytes(used)} (${share(used / total)})`,
      freeSpace: `${bytes(total - used)} (${share(1 - used / total)})`,
    },
    repositoriesSummaryList: repositories.map(({ key, type }) => {
      const here = files.filter((file) => file.key.startsWith(`${key}/`));
      return {
        repoKey: key,
        repoType: type,
        filesCount: here.length,
        usedSpace: bytes(sum(here.map(({ item }) => item.file?.size ?? 0))),
      };
    }),
  };
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}

function share(part: number): string {
  return `${(part * 100).toFixed(2)}%`;
}

/** Formats a size such as `1.50 KB`, in the largest unit that fits into it at least once. */
function bytes(size: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, size)) / 10));
  return `${power === 0 ? size : (size / 1024 ** power).toFixed(2)} ${units[power]}`;
}
