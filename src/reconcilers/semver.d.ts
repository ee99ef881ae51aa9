/** What is used of semver, which brings no types along. */
declare module "semver" {
  /** A version in its plain form; null where the text is none. */
  export function valid(text: string): string | null;
  /** The first version that a text contains, its missing numbers taken for 0. */
  export function coerce(text: string): { readonly version: string } | null;
  /** A range in its plain form; null where the text is none. */
  export function validRange(text: string): string | null;
  /** Whether a version is in a range. A prerelease is only in ranges that name one of the same release. */
  export function satisfies(version: string, range: string): boolean;
}
