import type { Metadata } from "../../core/resource.ts";
import { type Mapping, plain } from "../yaml/tree.ts";
import { Envelope } from "./manifest-schema.ts";

/** What most documents come to: a kind, a specification, and nothing else to be checked. */
const bare = Envelope.safeParse({ kind: "", spec: {} });
const nothingBeside = metadataFrom(Envelope.parse({ kind: "", spec: {} }).metadata);

/** Holds a document without its repetition against the schema of what is around a specification. */
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

/** The metadata of a document; one value for all that say nothing of it. */
export function metadataOf({ metadata }: Envelope): Metadata {
  return metadata === bare.data?.metadata ? nothingBeside : metadataFrom(metadata);
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
