import type { Change, Risk, Writable } from "../core/change.ts";
import type { Kind } from "../core/kind.ts";
import type { Happened } from "../core/run/plan.ts";
import { completed } from "./decide.ts";

/** Only risks about access have a direction. Losing data or rotating a secret is a property of the calls of an apply. */
const directed: readonly Risk[] = ["widens-access", "narrows-access"];

/** Returns what someone did to the service: the change of an apply in reverse. Undefined if only the manifests changed. */
export function happenedOf(kind: Kind, change: Change): Happened | undefined {
  if (change.verdict === "pending") return undefined;
  const done = reversed(change);
  const risks = kind.risk?.(done) ?? [];
  return { action: done.action, risks: directed.filter((risk) => risks.includes(risk)) };
}

/** Returns the change that leads from what the manifests say to the live state. */
function reversed(change: Change): Writable {
  const { address, key, verdict, marker } = change;
  const common = { address, key, verdict, marker };
  const { from, to } = sidesOf(change);
  if (to === undefined) return { ...common, action: "delete", declared: from, live: from, kept: [] };
  if (from === undefined) return { ...common, action: "create", desired: to };
  const moved = "fields" in change ? change.fields.filter((field) => field.verdict !== "pending") : [];
  const fields = moved.map((field) => ({ ...field, live: field.desired, desired: field.live }));
  return { ...common, action: "update", desired: to, live: from, fields, kept: [] };
}

/**
 * Returns the states before and after what happened; undefined if there was no object. Fields that only the manifests changed
 * have their live values on both sides.
 */
function sidesOf(change: Change): { readonly from: unknown; readonly to: unknown } {
  const { action, verdict } = change;
  switch (action) {
    case "create":
      return { from: change.desired, to: undefined };
    case "delete":
      // In a conflict the manifests dropped the object and someone edited it, so it existed before.
      return {
        from: verdict === "conflict" ? completed(change.declared, change.live, []) : undefined,
        to: change.live,
      };
    case "update":
    case "check": {
      const { desired, live, fields } = change;
      if (desired === undefined) return { from: verdict === "conflict" ? live : undefined, to: live };
      const ours = fields.filter((field) => field.verdict === "pending").flatMap(({ path: [name] }) => name ?? []);
      return { from: completed(desired, live, ours), to: live };
    }
  }
}
