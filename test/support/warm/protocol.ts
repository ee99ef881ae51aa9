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

/** Returns a request as one line that a shell can write: everything in it is base64. */
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
 * The lines of an answer, which a shell can read: what a command writes to one of its outputs, and finally its exit code; or that
 * the caller has to start the command itself.
 */
export const answers = {
  written: (to: 1 | 2, bytes: Buffer) => `${to} ${bytes.toString("base64")}\n`,
  code: (code: number) => `code ${code}\n`,
  own: "own\n",
};
