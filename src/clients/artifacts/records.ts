import { z } from "zod";
import { Secret } from "../../core/secret.ts";
import { isObject } from "../../core/text/json.ts";
import { withUnclear } from "../unclear.ts";

/*
 * Records of the artifact repository. What the API document leaves open is optional.
 * @see docs/api/artifacts.md
 */

/** A whole number, also as text. @see docs/facts.md, Artifacts: numbers and booleans as text */
export const NumberOrText = z.union([
  z.int(),
  z
    .string()
    .regex(/^-?\d+$/)
    .transform(Number),
]);

/** A boolean, also as text. @see docs/facts.md, Artifacts: numbers and booleans as text */
export const BooleanOrText = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);

const Checksums = z.object({ sha1: z.string().optional(), md5: z.string().optional(), sha256: z.string().optional() });

/** An answer in words, for people. */
export const inWords = { answer: "text", result: z.string() } as const;

export const FolderListing = z.object({
  files: z.array(
    z.object({
      /** Begins with `/`; relative to the folder. */
      uri: z.string(),
      /** Bytes; -1 for a folder. */
      size: NumberOrText.optional(),
      folder: BooleanOrText.optional(),
      lastModified: z.string().optional(),
      sha1: z.string().optional(),
      sha2: z.string().optional(),
      mdTimestamps: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

export const LastModified = z.object({ uri: z.string(), lastModified: z.string().optional() });

/** The names in a folder; each `uri` begins with `/`. */
const Children = z.array(z.object({ uri: z.string(), folder: BooleanOrText.optional() }));

/** A folder with the names in it, or a file with its checksums. */
export const StoredItem = z.object({
  uri: z.string(),
  repo: z.string().optional(),
  path: z.string().optional(),
  created: z.string().optional(),
  lastModified: z.string().optional(),
  size: NumberOrText.optional(),
  checksums: Checksums.optional(),
  children: Children.optional(),
});

export const TrashListing = z.object({ children: Children });

export const ArtifactSearch = z.object({ results: z.array(z.object({ uri: z.string() })) });

export const PatternSearch = z.object({ files: z.array(z.string()) });

/** What a query found, with the requested fields. `notification` says that the service trimmed the answer. */
export const QueryAnswer = z.object({
  results: z.array(
    z.preprocess(
      withoutDomain,
      z.looseObject({
        repo: z.string().optional(),
        /** The folder; `.` at the top. */
        path: z.string().optional(),
        name: z.string().optional(),
        type: z.string().optional(),
        created: z.string().optional(),
        properties: z.array(z.object({ key: z.string(), value: z.string().optional() })).optional(),
      }),
    ),
  ),
  range: z
    .object({ start_pos: z.int(), end_pos: z.int(), total: z.int(), notification: z.string().optional() })
    .optional(),
  notification: z.string().optional(),
});
export type QueryAnswer = z.infer<typeof QueryAnswer>;

/** Removes the domain that fields of builds can have in front: `build.name`. */
function withoutDomain(record: unknown): unknown {
  if (!isObject(record)) return record;
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name.replace(/^build\./, ""), value]));
}

export const RepositoryRecord = z.object({ key: z.string(), type: z.string() });

/** A repository's detail; the product calls the type `rclass`, in lower case. A part of it has no `repositories`. */
export const RepositoryDetail = z.preprocess(
  (value) =>
    isObject(value) && typeof value.rclass === "string" ? { type: value.rclass.toUpperCase(), ...value } : value,
  RepositoryRecord.extend({
    defaultDeploymentRepo: z.string().optional(),
    repositories: z.array(z.string()).optional(),
  }),
);

/** All values are display strings: counts with separators, sizes with units, shares with a percent sign. */
export const StorageInfo = z.object({
  binariesSummary: z.object({
    binariesCount: z.string(),
    binariesSize: z.string(),
    artifactsSize: z.string(),
    optimization: z.string(),
    itemsCount: z.string(),
    artifactsCount: z.string(),
  }),
  fileStoreSummary: z.object({
    storageType: z.string(),
    storageDirectory: z.string(),
    totalSpace: z.string(),
    usedSpace: z.string(),
    freeSpace: z.string(),
  }),
  repositoriesSummaryList: z.array(z.looseObject({})),
});

/** A registry writes an empty list as null. What leaves it out is another answer, such as a gateway's error. */
const RegistryNames = z
  .array(z.string())
  .nullable()
  .transform((names) => names ?? []);

export const ImageTags = z.object({ tags: RegistryNames });
export const ImageCatalog = z.object({ repositories: RegistryNames });

export const BuildList = z.object({
  buildsNumbers: z.array(z.object({ /** `/` and the build's number. */ uri: z.string(), started: z.string() })),
});

export const BuildRecord = z.object({
  buildInfo: z.object({
    name: z.string().optional(),
    number: z.string().optional(),
    /** `yyyy-MM-ddTHH:mm:ss.SSS` with a numeric zone offset. */
    started: z.string(),
    properties: z.record(z.string(), z.string()).default({}),
    /** Promotions, oldest first. */
    statuses: z
      .array(
        z.object({
          status: z.string(),
          timestamp: z.string().optional(),
          repository: z.string().optional(),
          comment: z.string().nullish(),
          user: z.string().nullish(),
          ciUser: z.string().optional(),
        }),
      )
      .optional(),
  }),
});

const PromotionMessage = z.object({ level: z.string(), message: z.string() });
export const PromotionResult = z
  .object({ messages: z.array(PromotionMessage).default([]) })
  .optional()
  .transform((result) => result ?? { messages: [] });

export const DeployedItem = z.object({
  repo: z.string().optional(),
  path: z.string().optional(),
  uri: z.string().optional(),
  downloadUri: z.string().optional(),
  created: z.string().optional(),
  size: NumberOrText.optional(),
  checksums: Checksums.optional(),
});

export const ItemProperties = z.object({
  uri: z.string().optional(),
  properties: z.record(z.string(), z.array(z.string())),
});
export type ItemProperties = z.infer<typeof ItemProperties>;

const NewSecret = z.string().transform((text) => new Secret(text));

/** Only the id and the secret are needed: an answer that is not accepted would lose the secret of a token that exists. */
export const IssuedToken = z.object({
  token_id: z.string(),
  access_token: NewSecret,
  refresh_token: NewSecret.nullish(),
  /** Seconds; left out, or 0, if the token does not expire. */
  expires_in: NumberOrText.nullish(),
  scope: z.string().nullish(),
  token_type: z.string().nullish(),
  reference_token: NewSecret.nullish(),
  description: z.string().nullish(),
});

/** Every field except `token_id` can be missing; times are epoch seconds. @see docs/facts.md, artifacts */
const TokenRecord = z.looseObject({
  token_id: z.string(),
  subject: z.string().nullish(),
  scope: z.string().nullish(),
  description: z.string().nullish(),
  issued_at: z.int().nullish(),
  /** 0 means never, as in a request. */
  expiry: z
    .int()
    .nullish()
    .transform((seconds) => seconds || undefined),
});

export const TokenList = z.object({ tokens: z.array(withUnclear(TokenRecord)) });

/** One token, of which only the id is needed. */
export const TokenIdentity = TokenRecord.pick({ token_id: true });
