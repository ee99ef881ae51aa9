import { Readable } from "node:stream";
import { z } from "zod";
import { allServices } from "../../../src/clients/find-service.ts";
import type { Kind } from "../../../src/core/kind.ts";
import { learn } from "../../../src/core/known-content.ts";
import type { Problem } from "../../../src/core/problem.ts";
import { SecretReference } from "../../../src/core/secret.ts";
import { Sink } from "../../../src/core/sink.ts";
import { pathPattern } from "../../../src/core/text/glob.ts";
import { type Loaded, type LoadOptions, load } from "../../../src/manifests/load.ts";
import type { FileSource } from "../../../src/manifests/sources/files.ts";

/** A kind with the parts that a test needs; the rest is never called. */
function fakeKind<Spec>(part: Pick<Kind<Spec>, "kind" | "spec" | "key"> & Partial<Kind<Spec>>): Kind {
  const kind: Kind<Spec> = {
    role: "review",
    summary: "A kind of the tests.",
    budget: { reads: "none", writes: "none" },
    scope: part.key,
    observe: async () => new Map(),
    ...part,
  };
  return kind;
}

/** A lock on a branch, with a field of every type. */
const Lock = z.strictObject({
  project: z.string().min(2),
  branch: z.string(),
  exclusive: z.boolean().optional(),
  order: z.int().min(1).optional(),
  permissions: z
    .array(z.enum(["submit", "push", "pushMerge"]))
    .min(1)
    .optional(),
  limits: z.strictObject({ hours: z.number() }).optional(),
  target: z
    .union([z.strictObject({ user: z.string() }), z.strictObject({ group: z.string(), nested: z.boolean() })])
    .optional(),
  text: z.union([z.string(), z.array(z.string())]).optional(),
});

const lock = fakeKind({
  kind: "Lock",
  spec: Lock,
  key: (spec) => `${spec.project}:${spec.branch}`,
  claims: (spec) => [`lock of ${spec.project}`],
});

/** A rule, which makes the same claim as a lock. */
const rule = fakeKind({
  kind: "Rule",
  spec: z.strictObject({ project: z.string() }),
  key: (spec) => spec.project,
  claims: (spec) => [`lock of ${spec.project}`],
  permanent: true,
});

const page = fakeKind({
  kind: "Page",
  role: "wiki",
  spec: z.strictObject({ id: z.string(), file: z.string().optional(), body: z.string().optional() }),
  key: (spec) => spec.id,
  inline: ({ file, ...spec }, read) => (file === undefined ? spec : { ...spec, body: read(file) }),
});

const account = fakeKind({
  kind: "Account",
  role: "wiki",
  spec: z.strictObject({
    name: z.string(),
    password: SecretReference.optional(),
    note: z.string().optional(),
    deliver: Sink.optional(),
  }),
  key: (spec) => spec.name,
});

/** A key of the account that signs in. */
const key = fakeKind({
  kind: "Key",
  spec: z.strictObject({ name: z.string() }),
  key: ({ name }) => name,
  claims: ({ name }) => [`the key ${name}`],
  ofAccount: true,
});

export const kinds: ReadonlyMap<string, Kind> = new Map(
  [lock, rule, page, account, key].map((kind) => [kind.kind, kind]),
);

export const workspaceText = `version: 1
manifests: ["m/*.yaml"]
services:
  review: { type: gerrit, url: "https://review.example.com" }
  wiki: { type: confluence, url: "https://wiki.example.com/wiki/" }
`;

/** Files in memory; a glob matches by its folder and its ending. */
export function memoryFiles(contents: Readonly<Record<string, string | Uint8Array>>): FileSource {
  const files = new Map(
    Object.entries(contents).map(([path, text]) => [
      path,
      typeof text === "string" ? new TextEncoder().encode(text) : text,
    ]),
  );
  const read = async (path: string) => {
    const bytes = files.get(path);
    if (bytes === undefined) throw Object.assign(new Error(path), { code: "ENOENT" });
    return bytes;
  };
  return {
    list: async (globs) => [...files.keys()].filter(pathPattern(globs)).sort(),
    read,
    size: async (path) => (await read(path)).length,
    check: async (path) => void (await read(path)),
    digest: async (path) => ({ path, sha256: await learn(async (take) => take(Readable.from([await read(path)]))) }),
  };
}

/** Loads files together with a workspace file that has a review service and a wiki. */
export function loadFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<LoadOptions> = {},
): Promise<Loaded> {
  const source = memoryFiles({ "setpoint.yaml": workspaceText, ...files });
  return load({ source, kinds, types: allServices, workspaceFile: "setpoint.yaml", variables: {}, ...options });
}

/** Loads one manifest. */
export function loadManifest(text: string | Uint8Array, options: Partial<LoadOptions> = {}): Promise<Loaded> {
  return loadFiles({ "m/a.yaml": text }, options);
}

/** A problem on one line: `line:column+length code message`, followed by a bar and its hint. */
export function line({ code, message, hint, place }: Problem): string {
  const where = `${place?.line}:${place?.column}${place?.length === undefined ? "" : `+${place.length}`}`;
  return `${where} ${code} ${message}${hint === undefined ? "" : ` | ${hint}`}`;
}

/** The errors of one manifest, one line each. */
export async function mistakes(
  text: string | Uint8Array,
  options: Partial<LoadOptions> = {},
): Promise<readonly string[]> {
  return (await loadManifest(text, options)).problems.map(line);
}
