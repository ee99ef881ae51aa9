import type { Risk } from "../../core/change.ts";
import type { Address } from "../../core/resource.ts";

const risksInWords: Readonly<Record<Risk, string>> = {
  "widens-access": "widens access",
  "narrows-access": "narrows access",
  irreversible: "cannot be undone",
  "secret-rotates": "rotates a secret",
};

export function riskWords(risk: Risk): string {
  return risksInWords[risk];
}

/** The risks to review first, most serious first. Narrower access is not one of them, because it makes nothing less safe. */
const shownRisks: readonly Risk[] = ["irreversible", "widens-access", "secret-rotates"];

/** The changes to review first, by risk. A change with several risks is in several groups. */
export function reviewFirst(changes: readonly { readonly address: Address; readonly risks: readonly Risk[] }[]) {
  return shownRisks.flatMap((risk) => {
    const addresses = changes.filter(({ risks }) => risks.includes(risk)).map(({ address }) => address);
    return addresses.length === 0 ? [] : [{ words: riskWords(risk), addresses }];
  });
}

/** Whether a change is one to review first. */
export function isRisky({ risks }: { readonly risks: readonly Risk[] }): boolean {
  return risks.some((risk) => shownRisks.includes(risk));
}
