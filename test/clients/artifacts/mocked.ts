import { onTestFinished } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import type { Credentials, Environment } from "../../../src/clients/credentials/credentials.ts";
import type { Service } from "../../../src/core/service.ts";
import { serviceOf, testClock, tokenCredentials } from "../fixtures.ts";

export const service = serviceOf("artifacts", {
  url: "https://artifacts.example.com/artifactory",
  urls: { auth: "https://artifacts.example.com/access" },
});
export const json = { "content-type": "application/json" };

export function open(over: Partial<Service> = {}, credentials: Credentials = tokenCredentials, env: Environment = {}) {
  const connection = openConnection(
    { ...service, ...over },
    { mode: "write", credentials, pageAll: true, clock: testClock(), env },
  );
  onTestFinished(() => connection.close());
  return connection;
}
