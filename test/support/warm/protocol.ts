import { once } from "node:events";
import { createConnection } from "node:net";
import { createInterface } from "node:readline";

/** A command to run; it sees no variables but those given. */
export interface Asked {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What a command writes to one of its outputs, and in the end its exit code. */
export type Answer = { readonly to: 1 | 2; readonly bytes: string } | { readonly code: number };

/** Commands that serve until they are stopped, what reads standard input, and what runs commands, which may end it. */
const ownProcess = /^(?:sandbox|worker|--watch|--allow-exec|(?:.*=)?@?-)$/;

/** Whether a command needs a process of its own: it is to be stopped, or typed to, or Node itself is set up for it. */
export function needsProcess({ args, env }: Pick<Asked, "args" | "env">): boolean {
  return (
    args.some((arg) => ownProcess.test(arg)) ||
    Object.keys(env).some((name) => name.startsWith("NODE_") && name !== "NODE_COMPILE_CACHE")
  );
}

/** Has the process at a socket run a command, and gives its exit code. */
export async function runAt(
  socket: string,
  asked: Asked,
  written: (to: 1 | 2, bytes: Uint8Array) => void,
): Promise<number> {
  const connection = createConnection(socket);
  await once(connection, "connect");
  // A process that goes away ends the answer.
  connection.on("error", () => {});
  connection.write(`${JSON.stringify(asked)}\n`);
  for await (const line of createInterface({ input: connection })) {
    const answer: Answer = JSON.parse(line);
    if ("code" in answer) return answer.code;
    written(answer.to, Buffer.from(answer.bytes, "base64"));
  }
  throw new Error(`The process of the commands has ended: setpoint ${asked.args.join(" ")}`);
}
