import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { ProblemError } from "../../core/problem.ts";
import type { OpenSink } from "../../core/sink.ts";

/** Milliseconds that a command may take. */
const patience = 60_000;

/** Characters of a check's answer that are looked at: more than any token has. */
const longestAnswer = 65_536;

interface Surroundings {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Words = readonly string[];

/** A command that keeps a secret, and one that tells what is kept. Neither one's output is ever shown. */
export function openCommand(command: Words, check: Words, surroundings: Surroundings): OpenSink {
  return {
    async put(secret) {
      const text = secret.reveal();
      await run(command, text, surroundings);
      const kept = (await run(check, "", surroundings)).trim();
      const digest = createHash("sha256").update(text).digest("hex");
      if (kept !== text && kept.toLowerCase() !== digest)
        throw undelivered(check, "printed neither the secret nor its SHA-256");
    },
  };
}

/** Runs a command with an input, and gives what it prints. Throws `ProblemError` SP4005 where it fails. */
function run(words: Words, input: string, { folder, env }: Surroundings): Promise<string> {
  const [program = "", ...args] = words;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, env, stdio: ["pipe", "pipe", "ignore"], timeout: patience });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      if (out.length < longestAnswer) out += chunk;
    });
    // A program that ends without reading its input is judged by its exit code.
    child.stdin.on("error", () => {});
    child.on("error", (error) => reject(undelivered(words, `did not start: ${error.message}`)));
    child.on("close", (code, signal) =>
      code === 0 ? resolve(out) : reject(undelivered(words, `ended with ${code ?? signal}`)),
    );
    child.stdin.end(input);
  });
}

function undelivered([program]: Words, reason: string): ProblemError {
  return new ProblemError({
    code: "SP4005",
    message: `The new secret was not kept: the command ${program} ${reason}.`,
    hint: "Run the command by hand. What it prints is not shown, since it may be the secret.",
  });
}
