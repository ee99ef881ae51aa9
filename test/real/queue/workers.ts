import { createInterface } from "node:readline";
import { listen, start, temporaryFolder } from "../../support/commands.ts";

export const token = "k4nary-token-9Zq";
export const perSecond = 50;

/**
 * Starts a code hosting service that records each request with the time of its own clock. From request number `hold` on, it answers only
 * once it is released.
 */
export async function hosting({ hold = Infinity } = {}) {
  const arrivals: { readonly at: number; readonly path: string }[] = [];
  const waiting = new Map<number, () => void>();
  const released = Promise.withResolvers<void>();
  const server = await listen(async (request, response) => {
    arrivals.push({ at: performance.now(), path: request.url ?? "" });
    waiting.get(arrivals.length)?.();
    if (arrivals.length >= hold) await released.promise;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ enabled: false }));
  });
  return {
    ...server,
    arrivals,
    release: () => released.resolve(),
    /** Resolves when the request with this number arrives. */
    asked: (number: number) =>
      arrivals.length >= number ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(number, resolve)),
    /** Returns the most requests in any second, excluding its end. */
    mostInASecond: () =>
      Math.max(...arrivals.map(({ at: from }) => arrivals.filter(({ at }) => at >= from && at < from + 1000).length)),
  };
}

export async function workspace(url: string, repositories: number) {
  const folder = await temporaryFolder();
  await folder.write(
    "setpoint.yaml",
    `version: 1\nservices:\n  hosting: { type: github, url: "${url}", limits: { requestsPerSecond: ${perSecond}, timeout: 2m } }\n`,
  );
  const documents = Array.from({ length: repositories }, (_, index) =>
    JSON.stringify({ kind: "ActionsPermission", spec: { org: "acme", repo: `repository-${index}`, enabled: true } }),
  );
  await folder.write("manifests/all.yaml", documents.join("\n---\n"));
  const options = { cwd: folder.path, env: { SETPOINT_HOSTING_TOKEN: token, SETPOINT_HOSTING_URL: url } };
  return { ...folder, options };
}

/** Returns what a drift reported, without its moment. */
export function reported(out: string): unknown {
  const { about, ...plan } = JSON.parse(out);
  return { ...plan, about: { ...about, at: "" } };
}

/** Starts workers of the queue at a URL, or at the URL in the environment. */
export async function startWorkers(count: number, url: string | undefined, options: Parameters<typeof start>[1]) {
  const place = url === undefined ? [] : ["--queue", url];
  const started = Array.from({ length: count }, () => start(["worker", ...place, "--json"], options));
  const lines: string[] = [];
  for (const { stderr } of started) stderr.on("data", (some) => lines.push(String(some)));
  await Promise.all(
    started.map(async ({ stdout }) => {
      for await (const line of createInterface({ input: stdout })) return line;
      throw new Error("The worker ended.");
    }),
  );
  const left = new Set(started);
  return {
    /** Returns what all workers printed about problems. */
    said: () => lines.join(""),
    kill() {
      const [first] = left;
      first?.kill("SIGKILL");
      if (first !== undefined) left.delete(first);
    },
    async [Symbol.asyncDispose]() {
      for (const worker of left) worker.kill("SIGKILL");
    },
  };
}
