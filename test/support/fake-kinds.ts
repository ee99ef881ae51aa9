import { z } from "zod";
import { send, write } from "../../src/clients/table.ts";
import { callOf } from "../../src/core/call.ts";
import type { Observation } from "../../src/core/change.ts";
import type { Kind } from "../../src/core/kind.ts";
import { formatAddress, type Metadata, type Resource } from "../../src/core/resource.ts";
import type { PlanInput } from "../../src/planner/make-plan.ts";

/** A box on a shelf: the simplest possible kind. A box can stand on other boxes. */
export const Box = z.strictObject({
  shelf: z.string(),
  name: z.string(),
  size: z.int().optional(),
  label: z.string().optional(),
  on: z.array(z.string()).optional(),
});
export type Box = z.infer<typeof Box>;

const Arrange = z.object({ shelf: z.string(), boxes: z.array(z.string()) });

/** One operation, whose calls on one shelf can be joined. */
export const fakeOperations = {
  arrange: write(send("POST", "/shelves/{shelf}", "json"), {
    summary: "Arranges a shelf.",
    args: Arrange,
    result: z.unknown(),
    merge: {
      object: ({ shelf }) => shelf,
      join: (earlier, later) => ({ ...earlier, boxes: [...earlier.boxes, ...later.boxes] }),
      decides: ({ boxes }) => boxes.filter((box) => box.endsWith("glued")).map(() => "the glued boxes"),
    },
  }),
} as const;
type FakeOperations = typeof fakeOperations;

/** What a plan is made from, apart from what is declared and what was observed. */
export const planParts = {
  offeredBy: () => ({ table: fakeOperations, wire: "product" }),
  services: [],
  about: { command: "plan", at: "2027-01-14T02:00:00.000Z", workspace: "platform" },
  baseRef: undefined,
  unlisted: [],
  unmanaged: undefined,
  guards: { maxDeletePercent: 30, noDeletes: false },
} satisfies Partial<PlanInput>;

const call = callOf<FakeOperations>();

export const box: Kind<Box, FakeOperations, undefined> = {
  kind: "Box",
  role: "review",
  summary: "A box on a shelf.",
  spec: Box,
  budget: { reads: "1 a shelf", writes: "1 a shelf" },
  key: ({ shelf, name }) => `${shelf}:${name}`,
  scope: ({ shelf }) => `shelf ${shelf}`,
  references: ({ shelf, on = [] }) => on.map((name) => ({ kind: "Box", identity: { shelf, name } })),
  claims: ({ label }) => (label === undefined ? [] : [`label ${label}`]),
  observe: async () => new Map(),
  compile: (changes) =>
    changes.map((change) =>
      call("arrange", { shelf: change.key.split(":")[0] ?? "", boxes: [`${change.action} ${change.key}`] }, [change]),
    ),
};

/** A kind that can only be checked. */
export const gauge: Kind<Box, FakeOperations, undefined> = { ...box, kind: "Gauge" };
Reflect.deleteProperty(gauge, "compile");
Reflect.deleteProperty(gauge, "references");

/** A kind whose objects always exist. */
export const wall: Kind<Box, FakeOperations, undefined> = { ...box, kind: "Wall", permanent: true };

export const fakeKinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["Box", box],
  ["Gauge", gauge],
  ["Wall", wall],
]);

/** Declares a box; `on` names boxes of the same shelf. */
export function declare(spec: Box, metadata: Partial<Metadata> = {}, kind: Kind = box): Resource {
  const key = kind.key(spec);
  return {
    address: formatAddress("store", kind.kind, key),
    service: "store",
    role: "review",
    kind: kind.kind,
    key,
    scope: kind.scope(spec),
    spec,
    metadata: { labels: {}, protect: false, ignore: [], state: "present", ...metadata },
    place: { file: "boxes.yaml", line: 1, column: 1 },
  };
}

export function present(spec: Box): Observation {
  return { is: "present", spec, marker: undefined };
}

export const absent: Observation = { is: "absent", marker: undefined };

export const unknown: Observation = { is: "unknown", problem: { code: "SP3101", message: "No answer." } };
