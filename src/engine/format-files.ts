import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Kind } from "../core/kind.ts";
import type { Problem } from "../core/problem.ts";
import { shapeOf } from "../core/text/json-schema.ts";
import { nearest, someOf } from "../core/text/words.ts";
import { formatManifest } from "../manifests/rewrite/format.ts";
import type { FileSource } from "../manifests/sources/files.ts";
import type { Judged } from "../manifests/trust/judge.ts";
import type { RewrittenFile } from "./adopt/rewritten-files.ts";
import { realFolder } from "./load-workspace.ts";

/** Formatted manifests, in memory. */
export interface FormattedFiles {
  /** Manifests that change. */
  readonly files: readonly RewrittenFile[];
  /** Manifests left as they are because of their form. */
  readonly left: readonly { readonly file: string; readonly reason: string }[];
  /** Problems of manifests, which stay as they are too, and of paths without a manifest. */
  readonly problems: readonly Problem[];
  /** The number of manifests looked at. */
  readonly looked: number;
}

interface FormattingParts {
  readonly files: FileSource;
  readonly folder: string;
  readonly kinds: ReadonlyMap<string, Kind>;
}

/**
 * Formats the manifests at `paths`, or all of them if it is empty. `paths` are files and folders relative to the working
 * directory. Reports SP1018 for a path without a manifest.
 */
export async function formatFiles(
  { manifests, problems }: Judged,
  paths: readonly string[],
  { files, folder, kinds }: FormattingParts,
): Promise<FormattedFiles> {
  const wanted = paths.map((path) => ({ path, inside: insidePath(folder, path) }));
  const isIn = (file: string, inside: string) => inside === "" || file === inside || file.startsWith(`${inside}/`);
  const selected = manifests.filter((file) => wanted.length === 0 || wanted.some(({ inside }) => isIn(file, inside)));
  const lost = wanted
    .filter(({ inside }) => !manifests.some((file) => isIn(file, inside)))
    .map(({ path, inside }) => noManifest(path, nearest(inside, manifests), manifests));
  const shapeOfKind = (name: string) => {
    const kind = kinds.get(name);
    return kind && shapeOf(kind.spec);
  };
  const own = problems.filter(
    ({ place }) => place === undefined || !manifests.includes(place.file) || selected.includes(place.file),
  );
  const wrong = new Set(own.map(({ place }) => place?.file));
  const results = await Promise.all(
    selected
      .filter((file) => !wrong.has(file))
      .map(async (file) => {
        const before = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await files.read(file));
        return { file, before, formatted: formatManifest(before, shapeOfKind) };
      }),
  );
  return {
    files: results.flatMap(({ file, before, formatted }) =>
      formatted.is === "formatted" && formatted.text !== before ? [{ file, before, after: formatted.text }] : [],
    ),
    left: results.flatMap(({ file, formatted }) =>
      formatted.is === "left" ? [{ file, reason: formatted.reason }] : [],
    ),
    problems: [...lost, ...own],
    looked: selected.length,
  };
}

/** Returns a command-line path in the form of manifest names: relative to the workspace, with / between names. */
function insidePath(folder: string, path: string): string {
  const inside = relative(realFolder(folder), realFolder(resolve(path)));
  return isAbsolute(inside) ? path : inside.split(sep).join("/");
}

function noManifest(path: string, meant: string | undefined, manifests: readonly string[]): Problem {
  return {
    code: "SP1018",
    message: `There is no manifest of the workspace at ${path}.`,
    hint:
      meant === undefined
        ? `The manifests of the workspace: ${someOf(manifests, 3) || "none"}.`
        : `Did you mean ${meant}?`,
  };
}
