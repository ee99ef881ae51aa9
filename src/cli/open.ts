import type { Environment } from "../clients/credentials.ts";
import { type OpenWorkspace, openWorkspace } from "../setpoint.ts";
import type { ManifestOptions } from "./options.ts";
import type { ProgressLine } from "./terminal/progress.ts";

/** Opens the workspace that the command line names. */
export function openFrom(
  { workspace: path, environment, var: variables, values }: ManifestOptions,
  signal?: AbortSignal,
  progress?: ProgressLine,
  env?: Environment,
): OpenWorkspace {
  return openWorkspace({
    path,
    environment,
    variables,
    values,
    ...(signal === undefined ? {} : { signal }),
    ...(env === undefined ? {} : { env }),
    ...(progress === undefined ? {} : { onProgress: (state) => progress.show(state) }),
  });
}
