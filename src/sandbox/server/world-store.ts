import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../core/make-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import { hasCode, reasonOf } from "../../core/reason.ts";
import { quote } from "../../core/words.ts";
import { parseWorld, type World } from "../world.ts";

/** The world of one sandbox. With a directory it outlives the sandbox: it is kept in `world.json` there. */
export class WorldStore {
  #world: World;
  readonly #file: string | undefined;

  /** Starts from what the directory holds, else from `initial`. Throws `ProblemError` if it is invalid or cannot be kept. */
  constructor(initial: World, directory: string | undefined) {
    this.#file = directory === undefined ? undefined : join(directory, "world.json");
    try {
      if (directory !== undefined) makeFolder(directory);
      this.#world = (this.#file === undefined ? undefined : readWorld(this.#file)) ?? structuredClone(initial);
      this.#save();
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      const message = `The state cannot be kept in ${quote(directory ?? "")}: ${reasonOf(error)}.`;
      throw new ProblemError({ code: "SP1017", message, hint: "Name a folder that you may write to." });
    }
  }

  get(): World {
    return this.#world;
  }

  set(world: World): void {
    this.#world = world;
    this.#save();
  }

  /** The file is replaced as a whole, so a killed sandbox leaves the old world or the new one. */
  #save(): void {
    if (this.#file === undefined) return;
    const temporary = `${this.#file}.new`;
    writeFileSync(temporary, `${JSON.stringify(this.#world, undefined, 2)}\n`);
    renameSync(temporary, this.#file);
  }
}

function readWorld(file: string): World | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
  return parseWorld(text, file);
}
