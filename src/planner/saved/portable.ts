/**
 * Returns a copy of plain JSON with the workspace's folder replaced by `.`: a plan names the files that it sends, and another
 * machine has them elsewhere.
 */
export function portable<T>(value: T, folder: string): T {
  const inside = folder.endsWith("/") ? folder : `${folder}/`;
  const text = JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === "string" && inner.startsWith(inside) ? `./${inner.slice(inside.length)}` : inner,
  );
  return JSON.parse(text);
}
