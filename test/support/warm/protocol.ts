/** A command to run; it sees no variables but those given. */
export interface Asked {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Into a file, a command prints otherwise than to whoever reads a pipe. */
  readonly intoFile?: boolean;
}

/** Commands that serve until they are stopped, what reads standard input, and what runs commands, which may end it. */
const ownProcess = /^(?:sandbox|worker|--watch|--allow-exec|(?:.*=)?@?-)$/;

/** Whether a command needs a process of its own: it is to be stopped, or typed to, or Node itself is set up for it. */
export function needsProcess({ args, env, intoFile = false }: Omit<Asked, "cwd">): boolean {
  return (
    intoFile ||
    args.some((arg) => ownProcess.test(arg)) ||
    Object.keys(env).some((name) => name.startsWith("NODE_") && name !== "NODE_COMPILE_CACHE")
  );
}

/** What is asked as one line, which a shell can write: whatever it is, in base64. */
export function lineOf({ args, cwd, env, intoFile = false }: Asked): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const parts = [intoFile ? "file" : "pipe", cwd, String(args.length), ...args, ...variables];
  return `${Buffer.from(parts.map((part) => `${part}\0`).join("")).toString("base64")}\n`;
}

export function askedIn(line: string): Asked {
  const [to, cwd = "", count, ...rest] = Buffer.from(line, "base64").toString().split("\0").slice(0, -1);
  const variables = rest.slice(Number(count)).map((text) => {
    const at = text.indexOf("=");
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return { args: rest.slice(0, Number(count)), cwd, env: Object.fromEntries(variables), intoFile: to === "file" };
}

/**
 * A line of an answer, which a shell can read: what a command writes to one of its outputs, and in the end its exit code; or that
 * whoever asked has to start it.
 */
export const answers = {
  written: (to: 1 | 2, bytes: Buffer) => `${to} ${bytes.toString("base64")}\n`,
  code: (code: number) => `code ${code}\n`,
  own: "own\n",
};
