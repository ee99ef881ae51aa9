import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Service } from "../../src/core/service.ts";
import { roles } from "../support/roles.ts";

/** A workspace of all seven services, whose variable `url` is the address of a sandbox. */
const workspace = `version: 1
services:
  artifacts: { type: artifactory, url: "\${var.url}/artifacts", urls: { auth: "\${var.url}/artifacts/access" } }
  hosting: { type: github, url: "\${var.url}/hosting" }
  review: { type: gerrit, url: "\${var.url}/review" }
  ci: { type: jenkins, url: "\${var.url}/ci", urls: { updates: "\${var.url}/ci/updates" } }
  analysis: { type: klocwork, url: "\${var.url}/analysis" }
  tracker: { type: jira, url: "\${var.url}/tracker" }
  wiki: { type: confluence, url: "\${var.url}/wiki" }
`;

/** A folder with the workspace of all seven services. */
export function workspaceFolder(wire: Service["wire"] = "product"): {
  readonly path: string;
  readonly remove: () => void;
} {
  const path = mkdtempSync(join(tmpdir(), "setpoint-seven-"));
  writeFileSync(
    join(path, "setpoint.yaml"),
    workspace.replaceAll(" type: ", ` wire: ${wire}, limits: { timeout: 2m }, type: `),
  );
  return { path, remove: () => rmSync(path, { recursive: true }) };
}

/** Credentials of the sandbox's administrator for all seven services at `url`. */
export function environment(url: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    roles.flatMap((role) => {
      const variable = `SETPOINT_${role.toUpperCase()}`;
      const secret = role === "review" || role === "tracker" || role === "wiki" ? "PASSWORD" : "TOKEN";
      return [
        [`${variable}_URL`, url],
        [`${variable}_USERNAME`, "admin"],
        [`${variable}_${secret}`, "secret"],
      ];
    }),
  );
}
