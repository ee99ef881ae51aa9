/** What is made when it is first asked for, and then kept. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What is made of an object: once, when it is first asked for, and kept as long as the object. */
export function onceFor<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const makers = new WeakMap<K, () => T>();
  return (key) => {
    const known = makers.get(key);
    if (known !== undefined) return known();
    const maker = once(() => make(key));
    makers.set(key, maker);
    return maker();
  };
}

/** What is made of a text: kept while it is among the texts that were asked for last, which have so many characters together. */
export function onceForText<T>(mostCharacters: number, make: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly value: T }>();
  let characters = 0;
  return (text) => {
    const made = known.get(text) ?? { value: make(text) };
    // The text becomes the last one.
    if (!known.delete(text)) characters += text.length;
    known.set(text, made);
    for (const oldest of known.keys()) {
      if (characters <= mostCharacters) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return made.value;
  };
}

/** A map of which a value is made when it is first asked for; its keys are there from the beginning. */
export function mapOnDemand<K, V>(entries: readonly (readonly [K, () => V])[]): ReadonlyMap<K, V> {
  const makers = new Map(entries.map(([key, make]) => [key, once(make)]));
  const whole = once(() => new Map([...makers].map(([key, make]) => [key, make()])));
  return {
    size: makers.size,
    has: (key) => makers.has(key),
    get: (key) => makers.get(key)?.(),
    keys: () => makers.keys(),
    values: () => whole().values(),
    entries: () => whole().entries(),
    forEach: (use) => whole().forEach(use),
    [Symbol.iterator]: () => whole()[Symbol.iterator](),
  };
}
