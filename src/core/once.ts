/** Returns a function that makes a value on first use and then keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Returns a function that makes a value for an object on first use, and keeps it as long as the object exists. */
export function onceFor<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, { readonly value: T }>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known.value;
    const value = make(key);
    made.set(key, { value });
    return value;
  };
}

/** Returns a function that makes a value for a key on first use, and keeps all of them. */
export function onceEach<Given, T>(
  make: (given: Given) => T,
  keyOf: (given: Given) => unknown = (given) => given,
): (given: Given) => T {
  const made = new Map<unknown, { readonly value: T }>();
  return (given) => {
    const key = keyOf(given);
    const known = made.get(key) ?? { value: make(given) };
    made.set(key, known);
    return known.value;
  };
}

/** The same for a string: keeps only the values of the most recently used strings, up to so many characters in total. */
export function onceForText<T>(mostCharacters: number, make: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly value: T }>();
  let characters = 0;
  return (text) => {
    const made = known.get(text) ?? { value: make(text) };
    // The string becomes the most recently used one.
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

/** Returns a map whose values are made on first use; its keys exist from the beginning. */
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
