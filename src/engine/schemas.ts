import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Returns the folder of the JSON Schemas relative to `folder`, with / between names, for the workspace in `root`. If the tool is
 * not installed near `root`, returns where it would be.
 */
export function schemasFrom(root: string, folder: string): string {
  const installed = fileURLToPath(new URL("../../schema", import.meta.url));
  const fromRoot = relative(root, installed);
  const isClose = fromRoot.split(sep).filter((part) => part === "..").length <= 2 && !isAbsolute(fromRoot);
  const schemas = isClose ? installed : join(root, "node_modules/setpoint/schema");
  return relative(folder, schemas).split(sep).join("/");
}
