import { redacted } from "../../core/secret.ts";

/**
 * Makes foreign text fit to show: secrets become dots, however they are encoded; control characters, which could steer
 * a terminal, become spaces; what is longer than `longest` characters is cut, last of all.
 */
export function showable(text: string, secrets: readonly string[], longest: number): string {
  const spellings = secrets
    .filter((secret) => secret !== "")
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      new URLSearchParams({ "": secret }).toString().slice(1),
      Buffer.from(secret).toString("base64"),
    ])
    .sort((a, b) => b.length - a.length);
  const clean = spellings
    .reduce((rest, spelling) => rest.replaceAll(spelling, redacted), text)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return clean.length <= longest ? clean : `${clean.slice(0, longest - 1)}…`;
}
