import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../clients/credentials/credentials.ts";
import { ProblemError } from "../core/problem.ts";
import { hasCode, reasonOf } from "../core/text/reason.ts";
import { quote } from "../core/text/words.ts";
import type { HistoryPlace } from "../manifests/sources/git-log-ref.ts";
import { alone } from "./locks/locks.ts";
import { makeFolder } from "./own-files.ts";
import { appending, refuseLinkedFolder, replaceFile } from "./replace-file.ts";

/** Returns a history in a folder, which is created if it does not exist. `env` says where locks are kept. Throws `ProblemError` SP1017. */
export function historyFolder(folder: string, env: Environment): HistoryPlace {
  const read = async (file: string) => {
    try {
      return await readFile(join(folder, file), { encoding: "utf8", flag: constants.O_RDONLY | constants.O_NOFOLLOW });
    } catch (error) {
      if (hasCode(error, "ENOENT")) return "";
      throw unusable(folder, error);
    }
  };
  return {
    read,
    async change(file, make) {
      const path = join(folder, file);
      let isBegun = false;
      const step = async () => {
        isBegun = true;
        const before = await read(file);
        const after = make(before);
        // A single append: two runs on different machines that end at the same moment both leave their line.
        if (after.startsWith(before) && /\n$|^$/.test(before)) await append(path, after.slice(before.length));
        else await replaceFile(path, after);
      };
      try {
        await refuseLinkedFolder(path);
        makeFolder(folder);
        await alone(path, env, step).catch((error: unknown) => {
          // Where locks cannot be kept, the worst is a lost line.
          return isBegun ? Promise.reject(error) : step();
        });
      } catch (error) {
        throw error instanceof ProblemError ? error : unusable(folder, error);
      }
    },
  };
}

/** Appends to a file that is no link, as a pull request could have made one; on a disk that fills up, nothing. */
async function append(path: string, text: string): Promise<void> {
  const file = await open(path, appending);
  const { size } = await file.stat();
  try {
    await file.appendFile(text);
  } catch (error) {
    await file.truncate(size).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

function unusable(folder: string, error: unknown): ProblemError {
  const message = `The history in ${quote(folder)} cannot be kept: ${reasonOf(error)}.`;
  return new ProblemError({ code: "SP1017", message });
}
