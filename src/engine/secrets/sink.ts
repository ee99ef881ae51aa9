import { existsSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { execProblem, type OpenSink, type Sink } from "../../core/sink.ts";
import { openCommand } from "./sink-command.ts";
import { openDotenv, openFile } from "./sink-file.ts";

/**
 * Makes sure that a sink can take a secret, before there is one. Throws `ProblemError`: SP2002 for a command where none
 * may be run, SP1017 for a file that cannot be written.
 */
export type SinkOpener = (sink: Sink) => OpenSink;

export interface SinkSettings {
  /** The folder of the workspace file. */
  readonly folder: string;
  readonly allowExec: boolean;
  /** What commands see of it: everything but setpoint's own variables, which hold credentials. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Opens the sinks of a workspace. */
export function sinkOpener({ folder, allowExec, env }: SinkSettings): SinkOpener {
  return (sink) => {
    if ("file" in sink) return openFile(inside(folder, sink.file));
    if ("dotenv" in sink) return openDotenv(inside(folder, sink.dotenv), sink.name);
    if (!allowExec) throw new ProblemError(execProblem(sink));
    return openCommand(sink.command, sink.check, { folder, env: withoutCredentials(env) });
  };
}

/** The path of a file below the folder; links on the way must not lead out of it. */
function inside(folder: string, path: string): string {
  const target = join(folder, path);
  let above = dirname(target);
  while (!existsSync(above)) above = dirname(above);
  const root = realpathSync(folder);
  if (`${realpathSync(above)}${sep}`.startsWith(`${root}${sep}`)) return target;
  throw new ProblemError({
    code: "SP1017",
    message: `${path} leads out of the folder of the workspace file, so no secret is written there.`,
    hint: "Name a file below it, or deliver to a command.",
  });
}

function withoutCredentials(env: SinkSettings["env"]): SinkSettings["env"] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("SETPOINT_")));
}
