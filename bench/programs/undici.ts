/**
 * Sends requests with nothing but undici: `node undici.ts <url> <requests> <at once> [warm-up]`. Reads the answers as JSON and prints
 * how long it took, in milliseconds, without the start of the process.
 */

import { Agent, request } from "undici";
import { atOnce } from "./at-once.ts";

const [url = "", count = "0", concurrency = "16", warmUp = "0"] = process.argv.slice(2);
const dispatcher = new Agent({ connections: Number(concurrency) });
const work = async (index: number) => {
  const path = `/repos/acme/repository-${String(index).padStart(6, "0")}/actions/permissions`;
  const { body } = await request(`${url}${path}`, { dispatcher, headers: { authorization: "Bearer t" } });
  await body.json();
};
console.log(JSON.stringify(await atOnce(Number(count), Number(concurrency), work, Number(warmUp))));
await dispatcher.close();
