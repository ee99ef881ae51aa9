/**
 * A file of the package or of the checkout, by its path from the root. The sources and the bundle of them are two folders
 * below it alike.
 */
export function installed(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
