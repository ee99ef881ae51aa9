import { join } from "node:path";
import { renderPlan } from "../../src/reports/text/plan-text.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { openWorkspace, type Plan } from "../../src/setpoint.ts";
import { terminalPicture } from "./ansi-svg.ts";
import type { DerivedFile } from "./derived-file.ts";

/** The address that a reader of the tour sees. The picture is made with a free port. */
const shownAddress = "http://127.0.0.1:4780";
const columns = 100;
/** The resources in the picture: few, but with a risk, a field, a text and a new resource. */
const only = ["hosting/*", "wiki/*", "*/Triage", "*/platform/ui:*"];

/** `docs/images/plan.svg`: the output of `setpoint plan` on the tour's sandbox. */
export async function planPicture(root: string): Promise<DerivedFile> {
  const folder = join(root, "examples/tour");
  const sandbox = await startSandbox();
  const variables = { port: new URL(sandbox.url).port };
  const workspace = openWorkspace({ path: folder, variables, env: environmentFor(sandbox.url) });
  const planned = await workspace.plan({ only }).finally(() => sandbox.close());
  if (planned.is === "wrong") throw new Error(planned.problems.map(({ message }) => message).join("\n"));
  const plan: Plan = JSON.parse(JSON.stringify(planned.plan).replaceAll(sandbox.url, shownAddress));
  const command = ["setpoint plan", ...only.map((address) => `--only '${address}'`)].join(" ");
  const text = renderPlan(plan, { width: columns, color: true, unicode: true, all: false });
  return {
    path: "docs/images/plan.svg",
    text: terminalPicture(`$ ${command}\n\n${text}`, columns, "A plan in a terminal"),
  };
}
