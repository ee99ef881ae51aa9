/** Deploys a file in a separate process: `node deploy-file.ts <url> <file>` prints the peak memory in KiB. */
import { openConnection } from "../../src/clients/connect.ts";
import { Secret } from "../../src/core/secret.ts";

const [url = "", file = ""] = process.argv.slice(2);
const limits = { concurrency: 1, timeout: 120_000, attempts: 1 };
const connection = openConnection(
  { name: "artifacts", role: "artifacts", type: "artifactory", url, wire: "product", limits },
  { mode: "write", credentials: { is: "token", token: new Secret("secret") }, env: {} },
);
await connection.call("listRepositories", {});
const before = process.resourceUsage().maxRSS;
const deployed = await connection.call("deployFile", { repoKey: "libs", path: "big.bin", file });
const after = process.resourceUsage().maxRSS;
await connection.close();
process.stdout.write(JSON.stringify({ before, after, deployed }));
