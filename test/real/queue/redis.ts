import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream";
import { temporaryFolder } from "../../support/commands.ts";

/** A Redis for one test, which persists its data. */
export interface OwnRedis extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The folder with everything that was written to it. */
  readonly folder: string;
  /** Makes it stop answering, with its port open. */
  freeze(): void;
  /** Stops it and starts it again with its data. */
  restart(): Promise<void>;
}

/** The program of the server; the environment can name a compatible one, such as valkey-server. */
const program = process.env.SETPOINT_REDIS_SERVER ?? "redis-server";

/** Starts a Redis. `settings` are additional options; `portOption` is the option for its port. */
export async function startRedis(settings: readonly string[] = [], portOption = "--port"): Promise<OwnRedis> {
  const folder = await temporaryFolder();
  const port = await freePort();
  const launch = () => started([portOption, String(port), "--dir", folder.path, ...settings]);
  let server = await launch();
  const stop = async () => {
    server.kill("SIGCONT");
    server.kill("SIGTERM");
    if (server.exitCode === null) await once(server, "exit");
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder: folder.path,
    freeze: () => void server.kill("SIGSTOP"),
    async restart() {
      await stop();
      server = await launch();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Opens an address that leads to one server and, after `moveTo`, to another; existing connections stay. */
export async function movingAddress(first: OwnRedis) {
  let { port: target } = first;
  const server = createServer((client) => {
    const there = connect(target, "127.0.0.1");
    pipeline(client, there, client, () => {});
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `redis://127.0.0.1:${portOf(server)}`,
    moveTo({ port }: OwnRedis) {
      target = port;
    },
    [Symbol.dispose]: () => void server.close(),
  };
}

async function started(settings: readonly string[]): Promise<ChildProcess> {
  const lasting = ["--bind", "127.0.0.1", "--appendonly", "yes", "--save", ""];
  const server = spawn(program, [...lasting, ...settings], { stdio: ["ignore", "pipe", "inherit"] });
  await once(server, "spawn");
  const lines = createInterface({ input: server.stdout });
  for await (const line of lines) if (line.includes("Ready to accept connections")) break;
  server.stdout.resume();
  return server;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  server.close();
  await once(server, "close");
  return port;
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server had no port.");
  return address.port;
}
