import { inspect } from "node:util";
import { z } from "zod";

/** What every secret prints as. */
export const redacted = "•••";

const referencePattern = /^\$\{(env|file):([^}]+)\}$/;

/** A reference to a secret in a manifest, a plan and a call. */
export const SecretReference = z
  .string()
  .regex(referencePattern, "expected a reference to a secret: ${env:NAME} or ${file:path}")
  .meta({ secret: true, description: "A reference to a secret: `${env:NAME}` or `${file:path}`." });

/** Parses a reference; undefined if the text is not a reference. */
export function parseSecretReference(
  text: string,
): { readonly from: "env" | "file"; readonly name: string } | undefined {
  const [, from, name = ""] = referencePattern.exec(text) ?? [];
  return from === "env" || from === "file" ? { from, name } : undefined;
}

/** A secret's text, which leaves only through `reveal`: it prints, serialises and inspects as dots. */
export class Secret {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  /** The text itself. Called only where a request is built. */
  reveal(): string {
    return this.#text;
  }
  toString(): string {
    return redacted;
  }
  toJSON(): string {
    return redacted;
  }
  [inspect.custom](): string {
    return redacted;
  }
}
