import type { World } from "../../src/sandbox/world.ts";
import { written } from "../support/manifest.ts";
import type { Chance } from "./chance.ts";
import { drawWeather, type Weather } from "./faults.ts";
import { type DeclaredToken, type Item, type Pool, withoutIt } from "./pool.ts";
import type { Texts } from "./program.ts";

/** The start of one simulation, drawn from its seed. */
export interface Situation {
  readonly world: World;
  readonly vault: ReadonlyMap<string, string>;
  readonly texts: Texts;
  /** What is declared and how, in words for people. */
  readonly told: readonly string[];
  /** Paths that an apply may change. */
  readonly own: ReadonlySet<string>;
  /** Tokens of which exactly one must be live at the end, and tokens of which none must be. */
  readonly kept: readonly DeclaredToken[];
  readonly revoked: readonly DeclaredToken[];
  /** The weather of each run until it calms down. */
  readonly storms: readonly Weather[];
}

/** What a manifest says about an item: that it exists, that it does not, or, after it was in the base, nothing. */
type Mode = "present" | "absent" | "let go";

/** Kinds that others can refer to: their items stay if there are other analysis items. */
const referred: ReadonlySet<string> = new Set(["AnalysisProject", "AnalysisRole", "AnalysisUser", "AnalysisGroup"]);

export function drawSituation(pool: Pool, chance: Chance): Situation {
  const few = chance.pick([1, 2, 3, 5]);
  const chosen = new Set(Array.from({ length: few }, () => chance.pick(pool.items)));
  // About every third seed has a token for certain.
  if (chance.hit(0.35)) chosen.add(chance.pick(pool.items.filter(({ token }) => token !== undefined)));
  const isApplied = chance.hit(0.4);
  const isNeeded = ({ kind }: Item) =>
    referred.has(kind) && [...chosen].filter((other) => other.kind.startsWith("Analysis")).length > 1;
  const drawn = [...chosen].map((item) => {
    const mode = modeOf(item, isApplied, chance);
    return { item, mode: isNeeded(item) ? ("present" as const) : mode };
  });
  const texts = textsOf(pool, drawn, isApplied);
  const tokens = (isKept: boolean) =>
    drawn.flatMap(({ item: { token }, mode }) =>
      token !== undefined && (mode === "present") === isKept ? [token] : [],
    );
  const storms = Array.from({ length: chance.pick([1, 1, 2, 3]) }, () =>
    drawWeather(chance, tokens(true).length + tokens(false).length > 0),
  );
  return {
    world: isApplied ? pool.after : pool.before,
    vault: isApplied ? pool.vault : new Map(),
    texts,
    told: drawn.map(({ item: { document, kind }, mode }) => `${mode} ${kind} ${JSON.stringify(document.spec)}`),
    own: new Set(drawn.flatMap(({ item: { own } }) => [...own])),
    kept: tokens(true),
    revoked: tokens(false),
    storms,
  };
}

function modeOf({ isDeletable }: Item, isApplied: boolean, chance: Chance): Mode {
  if (!isDeletable) return "present";
  if (!isApplied) return chance.pick(["present", "present", "present", "absent"]);
  return chance.pick(["present", "absent", "let go", "let go"]);
}

function textsOf(
  { files }: Pool,
  drawn: readonly { readonly item: Item; readonly mode: Mode }[],
  isApplied: boolean,
): Texts {
  const now = drawn.flatMap(({ item: { document }, mode }) => {
    if (mode === "let go") return [];
    return [mode === "absent" ? withoutIt(document) : document];
  });
  const base = isApplied ? drawn.map(({ item: { document } }) => document) : [];
  return { now: written(now), base: written(base), files };
}
