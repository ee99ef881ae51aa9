/**
 * A regular expression that is compiled when it is first used, in any way in which string functions use one. The build writes
 * the source of this function into a dependency, so it must not use anything outside itself.
 */
export function expressionLater(source: string, flags: string) {
  let made: RegExp | undefined;
  const own = () => {
    made ??= new RegExp(source, flags);
    return made;
  };
  return {
    source,
    flags,
    get lastIndex() {
      return own().lastIndex;
    },
    set lastIndex(index) {
      own().lastIndex = index;
    },
    exec: (text: string) => own().exec(text),
    test: (text: string) => own().test(text),
    [Symbol.match]: (text: string) => own()[Symbol.match](text),
    [Symbol.matchAll]: (text: string) => own()[Symbol.matchAll](text),
    [Symbol.replace]: (text: string, by: string) => own()[Symbol.replace](text, by),
    [Symbol.search]: (text: string) => own()[Symbol.search](text),
    [Symbol.split]: (text: string) => own()[Symbol.split](text),
  };
}
