import type { AnalysisReader } from "../../../src/clients/analysis/operations.ts";
import { analysisService } from "../../../src/clients/analysis/service.ts";
import { openConnection, readerOf } from "../../../src/clients/connect.ts";
import { Secret } from "../../../src/core/secret.ts";
import { kinds } from "../../../src/reconcilers/registry.ts";
import type { Lab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

/** The objects of a kind on a lab's analysis service: their specifications, a manifest, and the operations that listed them. */
export interface Listed {
  readonly specs: readonly unknown[];
  readonly manifest: string;
  readonly asked: readonly string[];
}

export async function listLive(lab: Lab, kind: string): Promise<Listed> {
  const service = {
    name: "analysis",
    role: "analysis",
    type: "klocwork",
    url: lab.sandbox.services.analysis.url,
    wire: "product",
    limits: { concurrency: 4, timeout: 120_000, attempts: 1 },
  } as const;
  const connection = openConnection(service, {
    mode: "read",
    credentials: { is: "token", username: "admin", token: new Secret("secret") },
    env: {},
  });
  const read: AnalysisReader = readerOf(
    (operation, args) => connection.call(operation, args),
    service,
    analysisService,
  );
  lab.asked();
  const specs = (await kinds.get(kind)?.list?.(read)) ?? [];
  await connection.close();
  const manifest = specs.map((spec) => document(kind, { ...asFields(spec) })).join("");
  return { specs, manifest, asked: lab.asked() };
}

function asFields(spec: unknown): object {
  if (typeof spec !== "object" || spec === null) throw new Error("A specification is an object.");
  return spec;
}

/** A reader that finds nothing except the given answers. */
export function readerWith(answers: Partial<AnalysisReader>): AnalysisReader {
  const nothing = readerOf(async () => [], { wire: "product" }, analysisService);
  return { ...nothing, ...answers };
}
