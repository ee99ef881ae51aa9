import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { services } from "../../src/clients/services.ts";
import type { Service } from "../../src/core/service.ts";
import { type Role, rootsOf } from "../support/roles.ts";

/** A folder with a workspace of services of these roles, whose variable `url` is the address of a sandbox. */
export function workspaceFolder(
  roles: readonly Role[],
  wire: Service["wire"] = "product",
): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "setpoint-workspace-"));
  const url = "${var.url}";
  const declared = roles.map((role) => {
    const [type] = services[role].types;
    return `  ${role}: ${JSON.stringify({ wire, type, url: `${url}/${role}`, urls: rootsOf(role, url), limits: { timeout: "2m" } })}\n`;
  });
  writeFileSync(join(path, "setpoint.yaml"), `version: 1\nservices:\n${declared.join("")}`);
  return { path, remove: () => rmSync(path, { recursive: true }) };
}
