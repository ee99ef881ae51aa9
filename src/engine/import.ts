import { existsSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Kind, rolesOf } from "../core/kind.ts";
import { type Problem, ProblemError } from "../core/problem.ts";
import { type Resource, strangeInKey } from "../core/resource.ts";
import type { Service } from "../core/service.ts";
import { describeIssues } from "../core/text/issues.ts";
import { accessHint, whyUnwritten } from "../core/text/reason.ts";
import { didYouMean, quote } from "../core/text/words.ts";
import { type ManifestText, manifestTexts, stated } from "../manifests/documents/manifest-text.ts";
import { declaredPredicates, type Listing, liveObjects } from "./observe/undeclared.ts";
import { makeFolder, removeIfPossible } from "./own-files.ts";
import { schemasFrom } from "./schemas.ts";

/** A manifest of undeclared live objects. `file` is relative to the folder of the workspace. */
export interface ImportedManifest extends ManifestText {
  readonly kind: string;
  readonly file: string;
}

/** The result of an import. */
export interface Imported {
  readonly manifests: readonly ImportedManifest[];
  /** The number of live objects that manifests already declare. */
  readonly declared: number;
  /** Kinds that the service cannot list. */
  readonly unlisted: readonly string[];
  /** Why kinds, or single objects, were left out. */
  readonly problems: readonly Problem[];
}

export interface ImportInput extends Pick<Listing, "services" | "kinds" | "desired" | "readers" | "now"> {
  readonly service: Service;
  /** The kinds to import; all kinds of the service if empty. */
  readonly only: readonly string[];
  /** The folder of the workspace; `out` is the folder of the manifests, relative to it. */
  readonly folder: string;
  readonly out: string;
}

/** Makes manifests of a service's undeclared live objects, one file for each kind if it is not too large. Throws `ProblemError` SP1008. */
export async function importObjects(input: ImportInput): Promise<Imported> {
  const { service, services, readers, now, folder, out } = input;
  const wanted = wantedKinds(input);
  const listed = wanted.filter(({ list }) => list !== undefined);
  const lists = await Promise.all(listed.map((kind) => liveObjects({ kind, service: service.name }, { readers, now })));
  const live = lists.flatMap((list) => list.live);
  const ofServer = declaredPredicates(input);
  const ofAccount = declaredPredicates({ ...input, services: [service] });
  const others = live.filter((one) => {
    const { isNamed, isClaimed } = input.kinds.get(one.kind)?.ofAccount ? ofAccount : ofServer;
    return !isNamed(one) && !isClaimed(one);
  });
  const left = others.flatMap((one) => undeclarable(one, input.kinds.get(one.kind)) ?? []);
  const isLeft = new Set(left.map(({ address }) => address));
  const news = others.filter(({ address }) => !isLeft.has(address));
  return {
    manifests: listed.flatMap((kind) => {
      const specs = news.filter((resource) => resource.kind === kind.kind).map(({ spec }) => spec);
      const isClear = services.filter(({ role }) => rolesOf(kind).includes(role)).length === 1;
      const options = {
        schema: `${schemasFrom(folder, join(folder, out))}/manifest.schema.json`,
        ...(isClear ? {} : { service: service.name }),
      };
      return manifestTexts(kind, specs, options).map((manifest, at) => {
        const name = at === 0 ? kind.kind : `${kind.kind}-${at + 1}`;
        return { kind: kind.kind, file: join(out, `${name}.yaml`), ...manifest };
      });
    }),
    declared: live.length - others.length,
    unlisted: wanted.filter(({ list }) => list === undefined).map(({ kind }) => kind),
    problems: [
      ...lists.flatMap(({ unlisted }) =>
        unlisted.filter((one) => !ofServer.isNamed(one)).map(({ problem }) => problem),
      ),
      ...left,
    ],
  };
}

/** Returns why no manifest can declare a live object. Written nonetheless, it would keep the whole workspace from being read. */
function undeclarable({ service, address, key, spec }: Resource, kind: Kind | undefined): Problem | undefined {
  const { error } = kind?.spec.safeParse(stated(spec)) ?? {};
  // JSON escapes nothing else in this way. A service that shortens text can cut a pair in two.
  const isCut = JSON.stringify(spec).replaceAll("\\\\", "").includes("\\ud");
  const message = strangeInKey.test(key)
    ? `The key ${quote(key)} contains a control character or a line break.`
    : isCut
      ? "No manifest can declare it: its text contains half of a surrogate pair."
      : error && `No manifest can declare it: ${describeIssues(error.issues, spec, key)}.`;
  return message === undefined ? undefined : { code: "SP1020", service, address, message, hint: changeIt };
}

const changeIt = "Change it on the service, and import it then.";

function wantedKinds({ service, kinds, only }: ImportInput): readonly Kind[] {
  const own = [...kinds.values()].filter((kind) => rolesOf(kind).includes(service.role));
  const known = own.map(({ kind }) => kind);
  const problems = only
    .filter((name) => !known.includes(name))
    .map((name): Problem => {
      const hint = `Kinds of ${service.name}: ${known.join(", ")}.`;
      return { code: "SP1008", message: `${service.name} has no kind ${name}.${didYouMean(name, known)}`, hint };
    });
  if (problems.length > 0) throw new ProblemError(...problems);
  return own.filter(({ kind }) => only.length === 0 || only.includes(kind));
}

/**
 * Writes imported manifests below the folder of a workspace. Throws `ProblemError` SP1017 if one of the files already exists,
 * because an import overwrites nothing, or cannot be written. It then leaves no file behind, so that it can be repeated.
 */
export function writeManifests(folder: string, manifests: readonly ImportedManifest[]): void {
  const taken = manifests.filter(({ file }) => existsSync(join(folder, file)));
  if (taken.length > 0)
    throw new ProblemError(
      ...taken.map(({ file }) => ({
        code: "SP1017" as const,
        message: `${file} already exists, and an import overwrites nothing.`,
        hint: "Name another folder with --out, or narrow the import with --kind.",
      })),
    );
  const written: string[] = [];
  for (const { file, text } of manifests)
    try {
      const path = join(folder, file);
      makeFolder(dirname(path));
      const isInside = !file.startsWith("..");
      if (isInside && realpathSync(dirname(path)) !== join(realpathSync(folder), dirname(file)))
        throw new Error("it is reached through a link, which no plan follows");
      // Created before it is recorded, so that a file that someone else creates meanwhile is not removed.
      writeFileSync(path, "", { flag: "wx" });
      written.push(path);
      writeFileSync(path, text);
    } catch (error) {
      written.forEach(removeIfPossible);
      const message = `${file} cannot be written: ${whyUnwritten(error)}.`;
      throw new ProblemError({ code: "SP1017", message, ...accessHint(error) });
    }
}
