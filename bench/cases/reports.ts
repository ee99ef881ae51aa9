import { join } from "node:path";
import type { Case } from "../harness/case.ts";
import { used, workspaceFor } from "../harness/workspace.ts";

const formats = ["text", "markdown", "html"];

/** Reports of many changes. */
export const reports: Case = {
  name: "reports",
  title: "Reports of 10,000 changes",
  how: "`report <plan.json> --report <format>=<file>` of a plan of 10,000 changes that was written before: start-up, reading the JSON and writing the report.",
  async prepare(context) {
    const service = await context.fake("bench/fake/hosting.ts");
    const workspace = workspaceFor(context, { url: service.url, documents: context.isQuick ? 1000 : 10_000 });
    const plan = join(context.folder, "plan.json");
    await context.setpoint(["plan", "--quiet", "--report", `json=${plan}`], workspace);
    return {
      is: "ready",
      rounds: context.isQuick ? 2 : 5,
      sides: formats.map((format) => ({
        name: format,
        run: async () =>
          used(
            await context.setpoint(
              ["report", plan, "--report", `${format}=${join(context.folder, `report.${format}`)}`],
              workspace,
            ),
          ),
      })),
      verdicts: (of) =>
        formats.map((format) => ({
          what: format,
          value: of(format, "wall"),
          unit: "milliseconds",
          target: { is: "at most", value: 1000 },
        })),
    };
  },
};
