import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { Secret } from "../../../src/core/secret.ts";
import type { JsonObject } from "../../../src/core/text/json.ts";
import { openWorkspace } from "../../../src/setpoint.ts";
import { serviceOf } from "../../clients/fixtures.ts";
import { inMemory } from "../../support/in-memory.ts";
import { openRoad, type Road } from "../../support/road.ts";
import { admin, type CiServer } from "./hudson.ts";

function settings({ url }: CiServer, password: string = admin.password) {
  return {
    file: `version: 1\nservices:\n  ci: { type: jenkins, url: "${url}", urls: { updates: "${url}/updates" }, limits: { timeout: 2m } }\n`,
    env: { SETPOINT_CI_URL: url, SETPOINT_CI_USERNAME: admin.username, SETPOINT_CI_PASSWORD: password },
  };
}

export function roadTo(server: CiServer, password?: string): Road {
  const { file, env } = settings(server, password);
  return openRoad(file, env);
}

export function workspaceOf(server: CiServer) {
  const { file, env } = settings(server);
  return openWorkspace({ files: inMemory({ "setpoint.yaml": file }), env });
}

export function connectionTo({ url }: CiServer) {
  const credentials = { is: "basic", username: admin.username, password: new Secret(admin.password) } as const;
  const connection = openConnection(serviceOf("ci", { url }), { mode: "write", credentials });
  onTestFinished(() => connection.close());
  return connection;
}

/** Calls one operation as `setpoint call` does. */
export async function call(server: CiServer, operation: string, args: JsonObject): Promise<unknown> {
  const workspace = workspaceOf(server);
  return workspace.call(await workspace.service("ci"), operation, args, "write");
}

/** Waits until a job's build with this number is running or, unless `isBuilding`, has ended. */
export async function whenBuild(server: CiServer, job: string, number: number, isBuilding: boolean): Promise<void> {
  for (;;) {
    const { status, text } = await server.ask(`/job/${job}/${number}/api/json?tree=building`);
    if (status === 200 && JSON.parse(text).building === isBuilding) return;
    await delay(50);
  }
}
