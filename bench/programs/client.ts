/**
 * Reads workflow permissions through the package's own client: `node client.ts <url> <requests> <at once> [warm-up]`. Prints
 * how long it took, in milliseconds, without the start of the process.
 */

import { atOnce } from "./at-once.ts";

const [url = "", count = "0", concurrency = "16", warmUp = "0"] = process.argv.slice(2);
// What users have: the built package, by its own name.
const entry = import.meta.resolve("setpoint/clients");
const { connect, Secret }: typeof import("../../src/clients/index.ts") = await import(entry);
const connection = connect(
  { role: "hosting", type: "github", url, limits: { concurrency: Number(concurrency) } },
  { mode: "read", credentials: { is: "token", token: new Secret("t") }, env: {} },
);
const work = async (index: number) => {
  await connection.client.getActionsPermissions({
    org: "acme",
    repo: `repository-${String(index).padStart(6, "0")}`,
  });
};
console.log(JSON.stringify(await atOnce(Number(count), Number(concurrency), work, Number(warmUp))));
await connection.close();
