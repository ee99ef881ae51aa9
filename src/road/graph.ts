import type { Problem } from "../core/problem.ts";
import type { Address, Resource } from "../core/resource.ts";
import { declaredReferences } from "../planner/dependencies.ts";
import { emptySelections, type Selection, selects } from "../planner/selection.ts";
import { kinds } from "../reconcilers/registry.ts";

/** What each declared resource refers to, and which resources are selected. */
export interface DeclaredReferences {
  readonly references: ReadonlyMap<Address, readonly Address[]>;
  readonly isSelected: (address: Address) => boolean;
  /** Parts of the selection that match nothing: SP1018. */
  readonly problems: readonly Problem[];
}

/** The references among declared resources. Asks no service. */
export function referencesAmong(
  resources: readonly Resource[],
  { service, kind, label }: Pick<Selection, "service" | "kind" | "label">,
): DeclaredReferences {
  const selection = { only: [], service, kind, label };
  const shown = new Set(resources.filter(selects(selection)).map(({ address }) => address));
  return {
    references: declaredReferences({ kinds, desired: resources }),
    isSelected: (address) => shown.has(address),
    problems: emptySelections(selection, resources),
  };
}
