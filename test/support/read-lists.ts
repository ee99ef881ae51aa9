import { onTestFinished } from "vitest";
import { serviceOfRole } from "../../src/clients/find-service.ts";
import { type Connected, connect, credentialsFor, serviceOf } from "../../src/clients/index.ts";
import type { Kind } from "../../src/core/kind.ts";
import { openSessions } from "../../src/engine/sessions.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import type { Lab } from "./lab.ts";
import { document } from "./manifest.ts";
import { type Role, rootsOf } from "./roles.ts";
import type { Declared } from "./worlds/parts.ts";

/** Returns the reading half of a client of the lab's sandbox, as an import has it; by default the administrator's. */
export function readerOn<R extends Role>(
  { sandbox }: Lab,
  role: R,
  { username, secret }: { readonly username: string; readonly secret: string } = {
    username: "admin",
    secret: "secret",
  },
): Connected<R, "read">["client"] {
  const settings = { role, url: sandbox.services[role].url, urls: rootsOf(role, sandbox.url) };
  const credentials = credentialsFor(serviceOf(settings), environmentFor(sandbox.url, { username, secret }));
  const connected = connect(settings, { mode: "read", credentials, env: {} });
  onTestFinished(() => connected.close());
  return connected.client;
}

/** Returns the manifests that an import would write for a list. */
export function imported({ kind }: Pick<Kind, "kind">, specs: readonly object[] = []): string {
  return specs.map((spec) => document(kind, { ...spec })).join("");
}

/** Lists all live objects of some kinds of one role as specs, read by one reader as in an import, without those left out. */
export async function listed(
  { sandbox }: Pick<Lab, "sandbox">,
  role: Role,
  names: readonly string[],
  account?: { readonly username: string; readonly secret: string },
): Promise<readonly Declared[]> {
  const [type = ""] = serviceOfRole(role).types;
  const limits = { concurrency: 4, timeout: 120_000, attempts: 1 };
  const service = { name: role, role, type, url: `${sandbox.url}/${role}`, wire: "product", limits } as const;
  const env = environmentFor(sandbox.url, account);
  const { sessions, close } = await openSessions([service], "read", { signal: new AbortController().signal, env });
  try {
    const reader = sessions.get(role)?.reader() ?? {};
    const lists = await Promise.all(
      names.map(async (kind) => {
        const found = (await kinds.get(kind)?.list?.(reader, new Date(), () => undefined)) ?? [];
        return found.map((spec): Declared => ({ kind, spec: JSON.parse(JSON.stringify(spec)), metadata: {} }));
      }),
    );
    return lists.flat();
  } finally {
    await close();
  }
}
