import type { Socket } from "node:net";

/** A command to run; it sees only the given variables. */
export interface Asked {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether the output goes to a file: a command prints differently into a file than into a pipe. */
  readonly intoFile?: boolean;
}

/** Arguments of commands that serve until stopped, read standard input, or run other commands, which might kill the process. */
const ownProcess = /^(?:sandbox|worker|--watch|--allow-exec|(?:.*=)?@?-)$/;

/** Whether a command needs its own process: it prints into a file, has one of those arguments, or configures Node itself. */
export function needsProcess({ args, env, intoFile = false }: Omit<Asked, "cwd">): boolean {
  return (
    intoFile ||
    args.some((arg) => ownProcess.test(arg)) ||
    Object.keys(env).some((name) => name.startsWith("NODE_") && name !== "NODE_COMPILE_CACHE")
  );
}

/** Returns a request that a shell can write: texts that each end with a zero byte, and then another one. */
export function textOf({ args, cwd, env, intoFile = false }: Asked): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const parts = [intoFile ? "file" : "pipe", cwd, String(args.length), ...args, ...variables, ""];
  return parts.map((part) => `${part}\0`).join("");
}

/** Passes on the request that arrives at a connection. */
export function onceAsked(connection: Socket, take: (asked: Asked) => void): void {
  const chunks: Uint8Array[] = [];
  connection.on("data", function add(chunk: Uint8Array) {
    chunks.push(chunk);
    const asked = askedIn(Buffer.concat(chunks).toString());
    if (asked === undefined) return;
    connection.off("data", add);
    take(asked);
  });
}

/** Returns a request; undefined if its end is missing. */
function askedIn(text: string): Asked | undefined {
  const [to, cwd = "", count, ...rest] = text.split("\0").slice(0, -1);
  const end = rest.indexOf("", Number(count));
  if (end === -1) return undefined;
  const variables = rest.slice(Number(count), end).map((text) => {
    const at = text.indexOf("=");
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return { args: rest.slice(0, Number(count)), cwd, env: Object.fromEntries(variables), intoFile: to === "file" };
}

/** The bytes that a line does not have, as the shell's own `printf` writes them. */
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\0": "\\0000" };
const bytesOf = new Map(Object.entries(escapes).map(([byte, written]) => [written, byte]));

/**
 * The lines of an answer, which a shell can read, byte by byte: what a command writes to one of its outputs, and finally its exit
 * code; or that the caller has to start the command itself.
 */
export const answers = {
  encoding: "latin1",
  written: (to: 1 | 2, bytes: Buffer) =>
    `${to} ${bytes.toString("latin1").replace(/[\\\n\r\0]/g, (byte) => escapes[byte] ?? "")}\n`,
  bytesIn: (said: string) =>
    Buffer.from(
      said.replace(/\\(?:[\\nr]|0000)/g, (written) => bytesOf.get(written) ?? ""),
      "latin1",
    ),
  code: (code: number) => `code ${code}\n`,
  own: "own\n",
} as const;
