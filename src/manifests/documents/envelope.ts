import type { Metadata } from "../../core/resource.ts";
import { type Mapping, plain } from "../yaml/tree.ts";
import { Envelope } from "./manifest-schema.ts";

/** The envelope of most documents: a kind, a specification, and nothing else to check. */
const bare = { success: true, data: Envelope.parse({ kind: "", spec: {} }) } as const;
const nothingBeside = metadataFrom(bare.data.metadata);

/** Checks a document, without its `forEach`, against the schema of everything around the specification. */
export function checkEnvelope(tree: Mapping): ReturnType<typeof Envelope.safeParse> {
  return isBare(tree) ? bare : Envelope.safeParse(plain(tree));
}

function isBare({ entries }: Mapping): boolean {
  return (
    entries.length === 2 &&
    entries.every(({ key: { name }, value }) =>
      name === "kind"
        ? value.is === "scalar" && typeof value.value === "string"
        : name === "spec" && value.is === "mapping",
    )
  );
}

/** Returns the metadata of a document; documents without metadata share one value. */
export function metadataOf({ metadata }: Envelope): Metadata {
  return metadata === bare.data.metadata ? nothingBeside : metadataFrom(metadata);
}

function metadataFrom({ note, expires, ignore, service: _named, ...stated }: Envelope["metadata"]): Metadata {
  const acknowledged = ignore.filter((item) => typeof item !== "string");
  return {
    ...stated,
    ignore: ignore.filter((item) => typeof item === "string"),
    ...(acknowledged.length === 0 ? {} : { acknowledged }),
    ...(note === undefined ? {} : { note }),
    ...(expires === undefined ? {} : { expires }),
  };
}
