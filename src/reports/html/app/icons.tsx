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

/** The class of a mark: its shape and its colour. */
export function markClass(sign: Sign): string {
  return `mark ${classes[sign]}`;
}

/** The shape and the colour of a verdict; words beside it say the same. */
export function Mark({ sign }: { readonly sign: Sign }) {
  return <span class={markClass(sign)} aria-hidden="true" />;
}
