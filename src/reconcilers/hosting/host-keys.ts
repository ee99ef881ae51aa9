import { z } from "zod";
import type { HostingOperations, HostingReader } from "../../clients/hosting/operations.ts";
import type { Kind } from "../../core/kind.ts";
import { ProblemError } from "../../core/problem.ts";
import { observeAll } from "../shared/told.ts";

const HostKeys = z.strictObject({
  keys: z
    .array(
      z
        .string()
        .regex(/^[a-z][\w@.-]* [A-Za-z0-9+/]+=*( .*)?$/, "expected a key such as ssh-ed25519 AAAA…, without a host")
        .describe("Key type and key; a comment after them is ignored."),
    )
    .min(1)
    .describe("SSH host keys that the service must present, in any order."),
  exclusive: z.boolean().default(false).describe("Whether the service may present no other keys."),
});
type HostKeys = z.infer<typeof HostKeys>;

/** The SSH host keys of the service. */
export const hostKeys: Kind<HostKeys, HostingOperations, undefined> = {
  kind: "HostKeys",
  role: "hosting",
  summary: "SSH host keys that the code hosting service presents. Checked, never changed.",
  spec: HostKeys,
  budget: { reads: "1 getMeta", writes: "none" },
  notes: `A key is written as in a known hosts file, without the host. The service reports its keys over its own API, so
anyone who can forge one can forge the other: this finds key rotations that your known hosts files must follow.`,
  permanent: true,
  key: () => "ssh",
  scope: () => "host keys",
  normalize: ({ keys }) => ({ keys: [...new Set(keys.map(bare))].sort() }),

  observe: (read, _scope, wanted) =>
    observeAll(wanted, hostKeys, async ({ keys: stated, exclusive }) => {
      const all = await presented(read);
      const named = new Set(stated.map(bare));
      const keys = exclusive ? all : all.filter((key) => named.has(bare(key)));
      return { is: "present", spec: { keys, exclusive }, marker: undefined };
    }),

  list: async (read) => [{ keys: await presented(read), exclusive: false }],

  needsPerson: () =>
    "Ask the service's operator, through another channel, whether the keys were changed on purpose; then correct `keys` and the known hosts files.",
};

async function presented(read: HostingReader): Promise<string[]> {
  const { ssh_keys: keys = [] } = await read.getMeta({});
  if (keys.length > 0) return keys;
  throw new ProblemError({ code: "SP3103", operation: "getMeta", message: "The service reports no SSH host keys." });
}

/** Returns a key without its comment. */
function bare(key: string): string {
  return key.split(" ", 2).join(" ");
}
