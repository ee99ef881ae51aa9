import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { reasonOf } from "../../core/text/reason.ts";
import { quote } from "../../core/text/words.ts";
import { parseWorld, type World } from "../world.ts";

/** The world of one sandbox. With a directory, the world outlives the sandbox: it is kept there in `world.json`. */
export class WorldStore {
  #world: World;
  readonly #file: string | undefined;

  /**
   * Starts from the world in the directory, else from `initial`, which then belongs to the store. Throws `ProblemError` if the
   * world is invalid or cannot be kept.
   */
  constructor(initial: World, directory: string | undefined) {
    if (directory !== undefined) makeFolder(directory);
    const file = directory === undefined ? undefined : join(directory, "world.json");
    this.#file = file;
    this.#world = file !== undefined && existsSync(file) ? parseWorld(readFileSync(file, "utf8"), file) : initial;
    this.#save();
  }

  get(): World {
    return this.#world;
  }

  set(world: World): void {
    this.#world = world;
    this.#save();
  }

  /** Replaces the file as a whole, so a killed sandbox leaves either the old world or the new one. */
  #save(): void {
    if (this.#file === undefined) return;
    const temporary = `${this.#file}.new`;
    writeFileSync(temporary, `${JSON.stringify(this.#world, undefined, 2)}\n`);
    renameSync(temporary, this.#file);
  }
}

/** Creates one folder. Its parent must exist: a recursive `mkdir` of Node hangs where no folder can be made (`/proc`). */
function makeFolder(folder: string): void {
  try {
    if (!existsSync(folder)) mkdirSync(folder);
  } catch (error) {
    const message = `The state cannot be kept in ${quote(folder)}: ${reasonOf(error)}.`;
    const hint = "Name a folder that you can write to, in a folder that exists.";
    throw new ProblemError({ code: "SP1017", message, hint });
  }
}
