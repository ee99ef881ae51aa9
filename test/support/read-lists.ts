import { onTestFinished } from "vitest";
import { type Connected, connect } from "../../src/clients/index.ts";
import type { Kind } from "../../src/core/kind.ts";
import { Secret } from "../../src/core/secret.ts";
import type { Lab } from "./lab.ts";
import { document } from "./manifest.ts";
import type { Role } from "./roles.ts";

/** The reading half of a client of the lab's sandbox, as an import has it; the administrator's unless named. */
export function readerOn<R extends Role>(
  { sandbox }: Lab,
  role: R,
  { username, secret }: { readonly username: string; readonly secret: string } = {
    username: "admin",
    secret: "secret",
  },
): Connected<R, "read">["client"] {
  const credentials =
    role === "hosting"
      ? ({ is: "token", token: new Secret(secret) } as const)
      : ({ is: "basic", username, password: new Secret(secret) } as const);
  const url = sandbox.services[role].url;
  const connected = connect(
    { role, url, ...(role === "ci" ? { urls: { updates: `${url}/updates` } } : {}) },
    { mode: "read", credentials, env: {} },
  );
  onTestFinished(() => connected.close());
  return connected.client;
}

/** What an import would write of a list. */
export function imported({ kind }: Pick<Kind, "kind">, specs: readonly object[] = []): string {
  return specs.map((spec) => document(kind, { ...spec })).join("");
}
