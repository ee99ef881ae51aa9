import { credentialsFor, type Environment } from "../../clients/credentials.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Service } from "../../core/service.ts";
import { examine } from "../../engine/doctor/examine.ts";
import { openSessions } from "../../engine/sessions.ts";
import { kinds } from "../../reconcilers/registry.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import type { ManifestOptions } from "../options.ts";
import { failWith, openOutput } from "../terminal/output.ts";
import { loadFromDisk } from "../workspace.ts";
import { renderExamined } from "./doctor-report.ts";

/** `setpoint doctor`: says how the services of the workspace are, and what to do about what is wrong. Cannot write. */
export async function doctor(options: ManifestOptions, signal: AbortSignal): Promise<ExitCode> {
  const output = openOutput(options);
  const { workspace, resources, problems } = await loadFromDisk(options);
  if (workspace === undefined) return failWith(output, problems, "No service was asked.", exitCodes.wrong);
  const { services } = workspace;
  const { sessions, close } = await openSessions(services, "read", { signal });
  try {
    const examined = await examine(services, {
      kinds,
      declared: resources,
      sessions,
      usernames: usernamesOf(services, process.env),
      now: Date.now(),
    });
    if (signal.aborted)
      throw new ProblemError({ code: "SP5003", message: "The run was interrupted before all services had answered." });
    // A workspace without manifests is where one begins: that alone is no mistake here.
    const mistakes = problems.filter(({ code }) => code !== "SP1013").length;
    if (output.json) output.print(JSON.stringify({ version: 1, services: examined, mistakes }, null, 2));
    else output.print(renderExamined(examined, mistakes, output));
    const isWrong = examined.some(({ findings }) => findings.some(({ result }) => result === "wrong"));
    return isWrong || mistakes > 0 ? exitCodes.wrong : exitCodes.ok;
  } finally {
    await close();
  }
}

/** The names in the credentials; a service with wrong credentials has none. */
function usernamesOf(services: readonly Service[], env: Environment): ReadonlyMap<string, string> {
  return new Map(
    services.flatMap((service) => {
      try {
        const credentials = credentialsFor(service, env);
        return "username" in credentials && credentials.username !== undefined
          ? [[service.name, credentials.username]]
          : [];
      } catch (error) {
        if (error instanceof ProblemError) return [];
        throw error;
      }
    }),
  );
}
