import { isObject } from "../../core/text/json.ts";

/**
 * Returns a copy of plain JSON with the workspace's folder replaced by `.` in what names a file to send, which is beside its
 * SHA-256: another machine has the file elsewhere. A value of a manifest is the same on every machine.
 */
export function portable<T>(value: T, folder: string): T {
  const inside = folder.endsWith("/") ? folder : `${folder}/`;
  const moved = (at: unknown) =>
    typeof at === "string" && at.startsWith(inside) ? `./${at.slice(inside.length)}` : at;
  const text = JSON.stringify(value, (_name, inner: unknown) =>
    isObject(inner) && "sha256" in inner
      ? Object.fromEntries(Object.entries(inner).map(([name, at]) => [name, moved(at)]))
      : inner,
  );
  return JSON.parse(text);
}
