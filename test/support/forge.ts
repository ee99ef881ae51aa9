import type { PlannedCall } from "../../src/core/call.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { fingerprint } from "../../src/planner/compile.ts";

/** Returns a saved plan with changed contents and a matching seal, as anyone who knows how plans are sealed can forge it. */
export function forged(plan: Plan, edit: (plan: Plan) => Plan): Plan {
  const edited: Plan = JSON.parse(JSON.stringify(edit(plan)));
  const { saved } = edited;
  if (saved === undefined) throw new Error("Only a saved plan has a seal.");
  const { seal: _old, ...content } = saved;
  return { ...edited, saved: { ...content, seal: fingerprint({ ...edited, saved: content }) } };
}

/** A way to edit the calls of a plan; `at` and `other` choose the calls. */
export type Edit = (calls: readonly PlannedCall[], at: number, other: number) => readonly PlannedCall[];

const on =
  (change: (call: PlannedCall, other: PlannedCall) => PlannedCall): Edit =>
  (calls, at, other) =>
    calls.map((call, index) =>
      index === at % calls.length ? change(call, calls[other % calls.length] ?? call) : call,
    );

/** Everything that someone might do to the calls of a plan. */
export const edits: Readonly<Record<string, Edit>> = {
  "changes an argument": on((call, { id }) => ({
    ...call,
    args: Object.fromEntries(
      Object.entries(call.args).map(([name, value], index) => [name, index === id % 3 ? "tampered" : value]),
    ),
  })),
  "empties the arguments": on((call) => ({ ...call, args: {} })),
  "adds an argument": on((call) => ({ ...call, args: { ...call.args, force: true } })),
  "takes the arguments of another call": on((call, { args }) => ({ ...call, args })),
  "takes the operation of another call": on((call, { service, operation }) => ({ ...call, service, operation })),
  "makes it a delete": on((call) => ({ ...call, service: "artifacts", operation: "deleteItem" })),
  "carries something else": on((call, { carries }) => ({ ...call, carries })),
  "carries nothing": on((call) => ({ ...call, carries: [] })),
  "moves it to another lane": on((call, { lane }) => ({ ...call, lane })),
  "moves it to another phase": on((call) => ({ ...call, phase: call.phase + 1 })),
  "delivers a secret to a file": on((call) => ({
    ...call,
    deliver: {
      from: "token",
      to: { file: "public/token" },
      otherwise: { operation: "revokeToken", argument: "tokenId", from: "id" },
    },
  })),
  "drops the delivery": on(({ deliver: _gone, ...call }) => call),
  "adds itself as a part": on((call, { parts: _none, ...other }) => ({ ...call, parts: [other, other] })),
  "changes its parts": on(({ parts, ...call }) =>
    parts === undefined ? call : { ...call, parts: parts.map((part) => ({ ...part, args: {} })) },
  ),
  "drops its parts": on(({ parts: _none, ...call }) => call),
  "sends it twice": (calls, at) =>
    calls.flatMap((call, index) => (index === at % calls.length ? [call, call] : [call])),
  "leaves it out": (calls, at) => calls.filter((_call, index) => index !== at % calls.length),
  "leaves all out": () => [],
  "turns the order round": (calls) => calls.toReversed(),
  "gives all one number": (calls) => calls.map((call) => ({ ...call, id: 1 })),
};
