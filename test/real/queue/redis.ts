import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { temporaryFolder } from "../../support/commands.ts";

/** A Redis of a test's own, which keeps what it has. */
export interface OwnRedis extends AsyncDisposable {
  readonly url: string;
  /** The folder with everything that was written to it. */
  readonly folder: string;
  /** Ends it and starts it again with what it had. */
  restart(): Promise<void>;
}

export async function startRedis(): Promise<OwnRedis> {
  const folder = await temporaryFolder();
  const port = await freePort();
  let server = await launch(port, folder.path);
  const stop = async () => {
    server.kill("SIGTERM");
    if (server.exitCode === null) await once(server, "exit");
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    folder: folder.path,
    async restart() {
      await stop();
      server = await launch(port, folder.path);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function launch(port: number, folder: string): Promise<ChildProcess> {
  const settings = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--appendonly",
    "yes",
    "--save",
    "",
  ];
  const server = spawn("redis-server", settings, { stdio: ["ignore", "pipe", "inherit"] });
  await once(server, "spawn");
  const lines = createInterface({ input: server.stdout });
  for await (const line of lines) if (line.includes("Ready to accept connections")) break;
  server.stdout.resume();
  return server;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("The server had no port.");
  return address.port;
}
