/** Items that have something in common; there is at least one. */
export interface Alike<Item> {
  readonly first: Item;
  readonly all: readonly Item[];
}

/** The groups of items with the same key, which is any JSON value, in the order of their first items. */
export function groupsBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): readonly Alike<Item>[] {
  return [...Map.groupBy(items, (item) => JSON.stringify(keyOf(item))).values()].flatMap((all) => {
    const [first] = all;
    return first === undefined ? [] : [{ first, all }];
  });
}
