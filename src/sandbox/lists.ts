/** A list with one entry in another's place. */
export function replace<Entry>(list: readonly Entry[], before: Entry, after: Entry): Entry[] {
  return list.map((entry) => (entry === before ? after : entry));
}

/** A list without an entry. */
export function without<Entry>(list: readonly Entry[], entry: Entry): Entry[] {
  return list.filter((other) => other !== entry);
}

/** A number that no record has yet. */
export function nextId(records: readonly { readonly id: number | string }[]): number {
  return Math.max(0, ...records.map(({ id }) => Number(id))) + 1;
}

/** A pattern with `*` for `any` and `?` for one character, matched as a whole. */
export function wildcard(pattern: string, flags = "", any = ".*"): RegExp {
  const source = pattern.replace(/[\\^$.*+?()[\]{}|]/g, (mark) =>
    mark === "*" ? any : mark === "?" ? "." : `\\${mark}`,
  );
  return new RegExp(`^${source}$`, `${flags}s`);
}
