import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../core/reason.ts";
import { parseWorld, type World } from "../world.ts";

/** The world of one sandbox. With a directory it outlives the sandbox: it is kept in `world.json` there. */
export class WorldStore {
  #world: World;
  readonly #file: string | undefined;

  /** Starts from what the directory holds, else from `initial`. Throws `ProblemError` if `world.json` is invalid. */
  constructor(initial: World, directory: string | undefined) {
    this.#file = directory === undefined ? undefined : join(directory, "world.json");
    if (directory !== undefined) mkdirSync(directory, { recursive: true });
    this.#world = (this.#file === undefined ? undefined : readWorld(this.#file)) ?? structuredClone(initial);
    this.#save();
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
