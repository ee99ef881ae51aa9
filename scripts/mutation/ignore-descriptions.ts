/** The parts of a node and its parent that the plugin reads, with Babel's names. */
interface NodePath {
  readonly listKey?: string | undefined;
  readonly parent?: { readonly callee?: Node; readonly key?: Node };
}

interface Node {
  readonly name?: string;
  readonly property?: { readonly name?: string };
}

/** Leaves out mutants of schema descriptions, which are prose for the docs that no test should repeat. */
function shouldIgnore({ listKey, parent }: NodePath): string | undefined {
  const isDescribed = listKey === "arguments" && parent?.callee?.property?.name === "describe";
  return isDescribed || parent?.key?.name === "description" ? "prose for the docs" : undefined;
}

/** The plugins that Stryker loads. */
export const strykerPlugins = [{ kind: "Ignore", name: "descriptions", value: { shouldIgnore } }];
