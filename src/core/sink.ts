import { z } from "zod";
import type { Problem } from "./problem.ts";
import { objectOf } from "./readonly.ts";
import type { Secret } from "./secret.ts";
import { isObject } from "./text/json.ts";

const SinkPath = z
  .string()
  .min(1)
  .refine(
    (path) => !/^([/~]|[a-z]:)|\\|\0|(^|\/)(\.\.?|\.git|\.setpoint)?(\/|$)/i.test(path),
    "expected a file below the folder of the workspace file, with / between names",
  );

const Words = z.array(z.string().min(1)).min(1).describe("A program and its arguments, run without a shell.");

/**
 * Where a secret that a service shows only once is stored. Paths are relative to the folder of the workspace file and
 * stay below it; any other destination takes a command.
 */
export const Sink = z
  .union([
    z.strictObject({ file: SinkPath.describe("A file that holds the secret and nothing else, with mode 0600.") }),
    z.strictObject({
      dotenv: SinkPath.describe("A file of NAME=value lines, with mode 0600. Its other lines are kept."),
      name: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected a name of letters, digits and _")
        .describe("The variable that holds the secret."),
    }),
    z.strictObject({
      command: Words.describe("A command that reads the secret from its standard input. Needs --allow-exec."),
      check: Words.describe("A command that prints the stored secret, or its SHA-256 in hexadecimal."),
    }),
  ])
  .describe(
    "Where a new token, which the service shows only once, is stored: a file, a line of a dotenv file, or a command.",
  );
export type Sink = z.infer<typeof Sink>;

/** Where the secret in a call's answer is stored. */
export const SecretDelivery = objectOf({
  from: z.string().describe("The member of the answer that is the secret."),
  to: Sink,
  otherwise: objectOf({ operation: z.string(), argument: z.string(), from: z.string() }).describe(
    "The call that revokes the new secret if it could not be delivered; its argument is a member of the answer.",
  ),
});
export type SecretDelivery = z.infer<typeof SecretDelivery>;

/** The files, from the workspace's folder, that the secrets of resources with these specifications are delivered to. */
export function sinkFiles(specs: Iterable<unknown>): ReadonlySet<string> {
  return new Set(
    [...specs].flatMap((spec) => {
      const sink = sinkOf(spec);
      if (sink === undefined || "command" in sink) return [];
      return ["file" in sink ? sink.file : sink.dotenv];
    }),
  );
}

/** Returns where the secret of a resource with this specification is delivered to; undefined if nowhere. */
export function sinkOf(spec: unknown): Sink | undefined {
  return isObject(spec) && spec.deliver !== undefined ? Sink.safeParse(spec.deliver).data : undefined;
}

/** A sink that was found to be ready for a secret. */
export interface OpenSink {
  /** Stores the secret and reads it back. Throws `ProblemError` SP4005 if the sink does not contain it afterwards. */
  put(secret: Secret): Promise<void>;
}

/** The problem of a sink that is a command, if no commands are run. */
export function execProblem({ command: [program] }: Extract<Sink, { readonly command: unknown }>): Problem {
  return {
    code: "SP2002",
    message: `A new secret would go to the command ${program}, and commands are not run.`,
    hint: "Check the command in the manifest. If it is intended, pass --allow-exec.",
  };
}
