import { serviceOfRole } from "../../src/clients/find-service.ts";
import type { Role } from "../../src/core/resource.ts";
import { openSessions } from "../../src/engine/sessions.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import type { Lab } from "./lab.ts";
import type { Declared } from "./worlds/parts.ts";

/** All live objects of some kinds of one role as manifests would state them, read by one reader as in an import. */
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
        const found = (await kinds.get(kind)?.list?.(reader)) ?? [];
        return found.map((spec): Declared => ({ kind, spec: JSON.parse(JSON.stringify(spec)), metadata: {} }));
      }),
    );
    return lists.flat();
  } finally {
    await close();
  }
}
