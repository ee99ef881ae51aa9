import { lstatSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { ProblemError } from "../../core/problem.ts";
import { Secret } from "../../core/secret.ts";
import type { Sink } from "../../core/sink.ts";
import { inside, keptBy, type SinkSettings } from "./sink.ts";

/** Returns the secret that a sink holds now; undefined if it holds none, or none that can be read and sent. */
export type ReadHeld = (sink: Sink) => Promise<Secret | undefined>;

/** The largest file, in bytes, that is read as a sink: more than any has. */
const largest = 1_048_576;

/** Returns a function that reads the sinks of a workspace. Commands are run only if that is allowed. */
export function heldReader(settings: SinkSettings): ReadHeld {
  return async (sink) => {
    try {
      const text = await textIn(sink, settings);
      // A text that no header can carry, or that is the SHA-256 of a secret, cannot be used to sign in.
      return text !== undefined && /^[\x21-\x7e]{1,16384}$/.test(text) && !/^[0-9a-f]{64}$/i.test(text)
        ? new Secret(text)
        : undefined;
    } catch (error) {
      if (error instanceof ProblemError || (error instanceof Error && "code" in error)) return undefined;
      throw error;
    }
  };
}

async function textIn(sink: Sink, settings: SinkSettings): Promise<string | undefined> {
  if ("command" in sink) return settings.allowExec ? keptBy(sink.check, settings) : undefined;
  const content = ownFile(inside(settings.folder, "file" in sink ? sink.file : sink.dotenv));
  return "file" in sink ? content?.replace(/\r?\n$/, "") : parseEnv(content ?? "")[sink.name];
}

/**
 * Returns the content of a file as a delivery leaves it: a regular file that no one else can read. Any other file in the
 * workspace came from somewhere else, and its content is sent to no service.
 */
function ownFile(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isOwn = found?.isFile() === true && (found.mode & 0o077) === 0 && found.uid === process.getuid?.();
  return isOwn && found.size <= largest ? readFileSync(path, "utf8") : undefined;
}
