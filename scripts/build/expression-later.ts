/**
 * A regular expression that is made when it is first asked, in all ways in which the functions of texts ask one. The build
 * writes this function into a dependency, so it uses nothing from outside of itself.
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
