import type { OpenWorkspace } from "../../setpoint.ts";
import type { Candidate, NameSource } from "./wanted.ts";

/** The names that a source has now. Sends no request. A workspace that cannot be read has none. */
export async function namesOf(
  source: NameSource,
  operands: readonly string[],
  open: () => OpenWorkspace,
): Promise<readonly Candidate[]> {
  switch (source) {
    case "kinds": {
      const { kinds } = await import("../../reconcilers/registry.ts");
      return [...kinds.values()].map(({ kind, summary }) => ({ value: kind, description: summary }));
    }
    case "services": {
      const { workspace } = await open().validate();
      return (workspace?.services ?? []).map(({ name, url }) => ({ value: name, description: url }));
    }
    case "addresses": {
      const { resources } = await open().validate();
      return resources.map(({ address, place }) => ({ value: address, description: `${place.file}:${place.line}` }));
    }
    case "operations": {
      const { operationsOf } = await import("../../clients/find-service.ts");
      const { role } = await open().service(operands[0] ?? "");
      return Object.entries(operationsOf(role)).map(([value, { summary }]) => ({ value, description: summary }));
    }
    case "runs":
      return open()
        .runs()
        .map(({ run, at = "", by = "" }) => ({ value: run, description: `${at} ${by}`.trim() }));
    case "risks": {
      const { Risk } = await import("../../core/change.ts");
      return Risk.options.map((value) => ({ value, description: "" }));
    }
    case "formats": {
      const { reportFormats } = await import("../results/report-files.ts");
      return reportFormats.map((value) => ({ value: `${value}=`, description: "" }));
    }
  }
}
