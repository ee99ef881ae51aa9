import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import { callOf } from "../../core/call.ts";
import { namePattern } from "../../core/glob.ts";
import type { Kind } from "../../core/kind.ts";
import { unlessMissing } from "../../core/problem.ts";
import { serviceMarks } from "./shared/items.ts";

const call = callOf<ArtifactsOperations>();

const TrashCan = z
  .strictObject({
    empty: z.literal(true).optional().describe("Everything goes."),
    keep: z
      .array(z.string().regex(/^[^/]+(\/[^/]+)*$/, "expected repository, or repository/path, with * and ?"))
      .min(1)
      .optional()
      .describe(
        "What stays, and everything else goes: repositories, or `repository/path`, with `*` for any text (in a path `/` included) and `?` for one character.",
      ),
  })
  .refine(({ empty, keep }) => (empty === undefined) !== (keep === undefined), {
    message: "expected either empty: true or keep",
  });

/** `entries` cannot be stated: what is to go, as `repository` or `repository/path`, and should not be there. */
type TrashCan = z.infer<typeof TrashCan> & { readonly entries?: readonly string[] };

/** Where the service shows what is in the trash. */
const trash = "auto-trashcan";

/** Deleted items that are to go for good. The service stores no such rule: it is carried out at every apply. */
export const trashCan: Kind<TrashCan, ArtifactsOperations, undefined> = {
  kind: "TrashCan",
  role: "artifacts",
  summary: "What is in the trash and is to go for good.",
  spec: TrashCan,
  budget: {
    reads: "1 listTrash; 1 listFolder for each repository of which `keep` names a part",
    writes: "1 emptyTrash; with `keep` 1 cleanTrashBuildInfo a repository, or 1 cleanTrashItem a file",
  },
  notes: `The plan lists what would go, as \`entries\`: a repository stands for all of its deleted items.
\`--no-deletes\` refuses a plan in which anything would go.

What an apply itself deletes lies in the trash afterwards, so that reading again finds it not as desired. Keep the trash
of those repositories with \`keep\`, or apply the trash can by itself (\`--kind TrashCan\`). The service keeps no such
rules, so there is nothing to import.`,
  permanent: true,
  key: () => "trash",
  scope: () => "trash",
  normalize: ({ entries = [] }) => ({ entries }),

  async observe(read, _scope, [wanted]) {
    if (wanted === undefined) return new Map();
    const { children } = await read.listTrash({});
    const repositories = children.map(({ uri }) => uri.replace(/^\//, ""));
    const entries = await Promise.all(repositories.map((repository) => goingOf(read, repository, wanted.keep ?? [])));
    return new Map([
      [trashCan.key(wanted), { is: "present", spec: { ...wanted, entries: entries.flat().sort() }, marker: undefined }],
    ]);
  },

  compile: (changes) =>
    changes.flatMap((change) => {
      if (change.action !== "update") return [];
      if (change.desired.empty === true) return [call("emptyTrash", {}, [change])];
      return (change.live.entries ?? []).map((entry) => {
        const slash = entry.indexOf("/");
        // The path of this operation takes the key of any repository, not only of the builds'.
        if (slash === -1) return call("cleanTrashBuildInfo", { buildInfoRepoKey: entry }, [change]);
        return call("cleanTrashItem", { repoKey: entry.slice(0, slash), path: entry.slice(slash + 1) }, [change]);
      });
    }),

  risk: () => ["irreversible"],
};

/** What of a repository's deleted items no pattern keeps: all as one where none keeps any, else file by file. */
async function goingOf(read: ArtifactsReader, repository: string, keep: readonly string[]): Promise<readonly string[]> {
  const here = keep.flatMap((pattern) => {
    const [first = "", ...rest] = pattern.split("/");
    return namePattern([first], serviceMarks)(repository) ? [rest.length === 0 ? "*" : rest.join("/")] : [];
  });
  if (here.includes("*")) return [];
  if (here.length === 0) return [repository];
  const listing = await unlessMissing(read.listFolder({ repoKey: trash, path: repository, deep: 1 }));
  const files = (listing?.files ?? []).map(({ uri }) => uri.replace(/^\//, ""));
  const stays = namePattern(here, serviceMarks);
  const going = files.filter((path) => !stays(path));
  return files.length > 0 && going.length === files.length
    ? [repository]
    : going.map((path) => `${repository}/${path}`);
}
