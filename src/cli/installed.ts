/**
 * Locates a file of the package or the checkout by its path from the root. The sources and their bundle are both two folders
 * below the root.
 */
export function installed(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
