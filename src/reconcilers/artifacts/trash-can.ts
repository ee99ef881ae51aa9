import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Kind } from "../../core/kind.ts";
import { unlessMissing } from "../../core/problem.ts";
import { namePattern } from "../../core/text/glob.ts";
import { observeAll } from "../shared/told.ts";
import { serviceMarks } from "./shared/items.ts";

const call = callOf<ArtifactsOperations>();

const TrashCan = z
  .strictObject({
    empty: z.literal(true).optional().describe("Deletes everything in the trash."),
    keep: z
      .array(z.string().regex(/^[^/]+(\/[^/]+)*$/, "expected repository or repository/path, with * and ?"))
      .min(1)
      .optional()
      .describe(
        "What is kept; everything else is deleted: repositories, or `repository/path`, with `*` for any text (in a path `/` included) and `?` for one character.",
      ),
  })
  .refine(({ empty, keep }) => (empty === undefined) !== (keep === undefined), {
    message: "expected either empty: true or keep",
  });

/** `entries` is never in a manifest. It has what to delete, as `repository` or `repository/path`, and should be empty. */
type TrashCan = z.infer<typeof TrashCan> & { readonly entries?: readonly string[] };

/** The repository in which the service lists the trash. */
const trash = "auto-trashcan";

/** Deletes items in the trash permanently. The service stores no such rule: every apply enforces it. */
export const trashCan: Kind<TrashCan, ArtifactsOperations, undefined> = {
  kind: "TrashCan",
  role: "artifacts",
  summary: "Deletes items in the trash permanently.",
  spec: TrashCan,
  budget: {
    reads: "1 listTrash; 1 listFolder per repository of which `keep` names a part",
    writes: "1 emptyTrash; with `keep` 1 cleanTrashBuildInfo per repository, or 1 cleanTrashItem per file",
  },
  notes: `The plan lists what would be deleted, as \`entries\`: a repository means all of its deleted items.
\`--no-deletes\` refuses a plan that would delete anything.

Items that the same apply deletes are in the trash afterwards, so the trash is then not as desired. Keep the trash of
those repositories with \`keep\`, or apply the trash can by itself (\`--kind TrashCan\`). The service stores no such rules,
so there is nothing to import.`,
  permanent: true,
  key: () => "trash",
  scope: () => "trash",
  normalize: ({ entries = [] }) => ({ entries }),

  observe: (read, _scope, all) =>
    observeAll(all, trashCan, async (wanted) => {
      const { children } = await read.listTrash({});
      const repositories = children.map(({ uri }) => uri.replace(/^\//, ""));
      const entries = await Promise.all(repositories.map((repository) => goingOf(read, repository, wanted.keep ?? [])));
      return { is: "present", spec: { ...wanted, entries: entries.flat().sort() }, marker: undefined };
    }),

  compile: (changes) =>
    changes.flatMap((change) => {
      if (change.action !== "update") return [];
      if (change.desired.empty === true) return [call("emptyTrash", {}, [change])];
      return (change.live.entries ?? []).map((entry) => {
        const slash = entry.indexOf("/");
        // The path of this operation accepts the key of any repository, not only that of the builds.
        if (slash === -1) return call("cleanTrashBuildInfo", { buildInfoRepoKey: entry }, [change]);
        return call("cleanTrashItem", { repoKey: entry.slice(0, slash), path: entry.slice(slash + 1) }, [change]);
      });
    }),

  risk: () => ["irreversible"],
};

/** Returns a repository's deleted items that no pattern keeps: one entry if none is kept, otherwise one for each file. */
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
