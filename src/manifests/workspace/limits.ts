import { z } from "zod";
import { objectOf } from "../../core/readonly.ts";

/** Limits on the size of all manifests. They are counted and never timed, so every machine reaches the same result. */
export const Limits = objectOf({
  resources: z.int().min(1).max(1_000_000).default(20_000).describe("Resources, including those of `forEach`."),
  bytes: z
    .int()
    .min(1024)
    .max(2 ** 31)
    .default(64 * 1024 * 1024)
    .describe("Bytes of the manifests after aliases, variables, `forEach` and files are expanded."),
  depth: z.int().min(10).max(400).default(100).describe("Levels of nested lists and mappings."),
  errors: z.int().min(1).max(10_000).default(50).describe("Errors shown; further ones are only counted."),
  work: z
    .int()
    .min(1000)
    .max(10 ** 12)
    .default(50_000_000)
    .describe("Steps of policies and patterns: roughly the number of characters compared."),
});
export type Limits = z.infer<typeof Limits>;

/** The default limits, which also apply to the workspace file itself. */
export const defaultLimits: Limits = Limits.parse({});

/** Returns limits that refuse whatever either of the two refuses. The first one decides how many errors are shown. */
export function stricterLimits(a: Limits, b: Limits = a): Limits {
  return {
    resources: Math.min(a.resources, b.resources),
    bytes: Math.min(a.bytes, b.bytes),
    depth: Math.min(a.depth, b.depth),
    work: Math.min(a.work, b.work),
    errors: a.errors,
  };
}
