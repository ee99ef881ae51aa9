import type { Risk } from "../core/change.ts";
import type { Address } from "../core/resource.ts";
import { riskWords } from "./change-text.ts";

/** The risks to look at before anything else, the gravest first; what narrows access takes nothing from anybody's safety. */
const shownRisks: readonly Risk[] = ["irreversible", "widens-access", "secret-rotates"];

/** Changes of one risk. */
export interface RiskGroup {
  readonly risk: Risk;
  readonly words: string;
  readonly addresses: readonly Address[];
}

/** What to review first, by risk; a change of several risks is in several groups. */
export function reviewFirst(
  changes: readonly { readonly address: Address; readonly risks: readonly Risk[] }[],
): readonly RiskGroup[] {
  return shownRisks.flatMap((risk) => {
    const addresses = changes.filter(({ risks }) => risks.includes(risk)).map(({ address }) => address);
    return addresses.length === 0 ? [] : [{ risk, words: riskWords(risk), addresses }];
  });
}

/** Whether a change is one to review first. */
export function isRisky({ risks }: { readonly risks: readonly Risk[] }): boolean {
  return risks.some((risk) => shownRisks.includes(risk));
}
