import type { Address } from "../core/resource.ts";
import { continuation, row } from "./layout.ts";
import type { Style } from "./style.ts";

/** So many objects of a kind are named; more are counted. */
const named = 10;

/** Live objects of one service that nobody declares, by kind. */
export function unmanagedLines(addresses: readonly Address[], all: boolean, style: Style): readonly string[] {
  const { paint, symbols, width } = style;
  const kinds = Map.groupBy(addresses, (address) => address.split("/")[1]);
  return [...kinds.values()].flatMap((group) => {
    const shown = all || group.length <= named ? group : group.slice(0, named - 1);
    const more = group.length - shown.length;
    return [
      ...shown.flatMap((address) => {
        const [, kind = "", ...key] = address.split("/");
        return row(`  o ${kind} ${key.join("/")}`, "unmanaged", width, (right) => paint("dim", right));
      }),
      ...(more > 0 ? [paint("dim", `${continuation}${symbols.ellipsis} ${more} more; --all lists them`)] : []),
    ];
  });
}
