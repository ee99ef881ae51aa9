import { z } from "zod";
import type { Kind } from "../../src/core/kind.ts";
import { SecretReference } from "../../src/core/secret.ts";

const common = {
  role: "wiki",
  budget: { reads: "1 getPage per page", writes: "1 updatePage per page" },
  key: () => "key",
  scope: () => "scope",
  observe: async () => new Map(),
} as const;

/** A kind with every form of field. */
export const sign: Kind = {
  ...common,
  kind: "Sign",
  summary: "A sign | with a pipe.",
  notes: "Signs are read from left to right.",
  compile: () => [],
  spec: z.strictObject({
    name: z.string().describe("What it says."),
    color: z.enum(["red", "green"]).default("red").describe("How it looks."),
    height: z.int().min(1).optional().describe("In metres."),
    lit: z.boolean().optional(),
    password: SecretReference.optional().describe("Opens the box."),
    words: z.array(z.string()).optional(),
    parts: z.array(z.strictObject({ material: z.string().regex(/^[a-z]+$/) })).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    place: z.union([z.string(), z.strictObject({ street: z.string() })]).optional(),
  }),
};

/** A kind whose objects always exist and can only be checked. */
export const rule: Kind = {
  ...common,
  kind: "Rule",
  summary: "A rule.",
  permanent: true,
  spec: z.strictObject({ text: z.string() }),
};
