import type { Sign } from "./entries.ts";

const classes: Readonly<Record<Sign, string>> = {
  pending: "pending",
  drift: "drift",
  conflict: "conflict",
  unknown: "unknown",
  acknowledged: "acknowledged",
  "in sync": "sync",
  person: "person",
};

/** The CSS class of a mark, for its shape and colour. */
export function markClass(sign: Sign): string {
  return `mark ${classes[sign]}`;
}

/** The mark of a verdict. Words next to it say the same. */
export function Mark({ sign }: { readonly sign: Sign }) {
  return <span class={markClass(sign)} aria-hidden="true" />;
}
