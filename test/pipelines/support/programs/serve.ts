import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Asked, answers, onceAsked } from "../../../support/warm/protocol.ts";

const client = join(import.meta.dirname, "../../../support/warm/client.sh");

/** A program that scripts start. It returns what it prints, or throws an error. */
export type Program = (asked: Asked) => Promise<string>;

/** Programs that this process runs, because starting Node takes longer than they do. */
export interface Served extends AsyncDisposable {
  /** A script for `sh` per program, by name. */
  readonly scripts: Readonly<Record<string, string>>;
}

/** Serves programs until disposed of. */
export async function servePrograms(programs: Readonly<Record<string, Program>>): Promise<Served> {
  const answer = async ({ args: [name = "", ...args], ...asked }: Asked) => {
    const run = programs[name];
    try {
      return `${answers.written(1, Buffer.from((await run?.({ ...asked, args })) ?? ""))}${answers.code(0)}`;
    } catch (error) {
      return `${answers.written(2, Buffer.from(`${error}\n`))}${answers.code(1)}`;
    }
  };
  const server = createServer((connection) => {
    connection.on("error", () => {});
    onceAsked(connection, async (asked) => connection.end(await answer(asked), answers.encoding));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The programs have no port.");
  const script = (name: string) => `exec bash "${client}" "" "" ${address.port} ${name} "$@"`;
  return {
    scripts: Object.fromEntries(Object.keys(programs).map((name) => [name, script(name)])),
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
