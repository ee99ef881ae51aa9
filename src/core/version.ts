/** Marks behind the numbers of a version that comes before the version without them, such as `3.0-rc1`. */
const early = /^(alpha|beta|rc|m|eap|snapshot)/i;

/**
 * Compares two versions by their numbers: negative where `a` is the older one, 0 where they are equal, positive where
 * `a` is the newer one. `2.9` is older than `2.10`, `3.0` is equal to `3.0.0`, and `3.0-rc1` is older than both; what else
 * stands behind the numbers makes no difference. Undefined where one of them does not begin with a number.
 */
export function compareVersions(a: string, b: string): number | undefined {
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) return undefined;
  const differing = [...(left.numbers.length > right.numbers.length ? left : right).numbers.keys()].find(
    (index) => (left.numbers[index] ?? 0) !== (right.numbers[index] ?? 0),
  );
  return differing === undefined
    ? Number(right.early) - Number(left.early)
    : (left.numbers[differing] ?? 0) - (right.numbers[differing] ?? 0);
}

function parse(version: string): { readonly numbers: readonly number[]; readonly early: boolean } | undefined {
  const [, digits, mark = ""] = /^v?(\d+(?:\.\d+)*)[-._+ ]?(.*)$/.exec(version.trim()) ?? [];
  return digits === undefined ? undefined : { numbers: digits.split(".").map(Number), early: early.test(mark) };
}
