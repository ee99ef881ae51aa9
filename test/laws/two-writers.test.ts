import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { World } from "../../src/sandbox/world.ts";
import { type Lab, openDirectLab } from "../support/lab.ts";
import { document } from "../support/manifest.ts";
import { expectOneHeld, liveTokens } from "../support/tokens.ts";
import { turns } from "../support/turns.ts";
import { lawRuns } from "../support/worlds/parts.ts";

const day = 86_400_000;
const roles = ["artifacts", "tracker", "wiki"] as const;

/** The live tokens at the start: none, one whose secret the sink has, one that is due, or the remains of a killed rotation. */
const starts = ["nothing", "held", "due", "interrupted"] as const;
type Start = (typeof starts)[number];

function tokensAt(start: Start): readonly { readonly description: string; readonly left: number }[] {
  if (start === "nothing") return [];
  const first = { description: "deploy", left: start === "due" ? 5 : 80 };
  return start === "interrupted" ? [first, { description: "deploy (2)", left: 85 }] : [first];
}

function worldAt(role: "artifacts" | "tracker" | "wiki", start: Start, now: number): World {
  const world = defaultWorld();
  const created = (left: number) => now - (90 - left) * day;
  const tokens = tokensAt(start).map(({ description, left }, index) =>
    role === "artifacts"
      ? {
          token_id: `id-${index}`,
          username: "admin",
          scope: "applied-permissions/user",
          description,
          issued: new Date(created(left)).toISOString(),
          expires_in: 90 * 86_400,
        }
      : {
          id: index + 1,
          user: "admin",
          description,
          created: created(left),
          validUntil: now + left * day,
          secret: `s${index}`,
        },
  );
  const service = role === "artifacts" ? { tokens } : { tokenPlugin: { tokens, givesId: role === "wiki" } };
  return World.parse({ ...world, [role]: { ...world[role], ...service } });
}

const declared = {
  artifacts: document("AccessToken", {
    description: "deploy",
    rotateBefore: "30d",
    deliver: { file: "deploy" },
  }),
  tracker: document(
    "PersonalToken",
    { description: "deploy", rotateBefore: "30d", deliver: { file: "deploy" } },
    { service: "tracker" },
  ),
  wiki: document(
    "PersonalToken",
    { description: "deploy", rotateBefore: "30d", deliver: { file: "deploy" } },
    { service: "wiki" },
  ),
} as const;

function putFirst(lab: Lab, role: keyof typeof declared): void {
  const [text] = liveTokens(lab.sandbox.state(), role, "deploy")[0]?.texts ?? [];
  if (text !== undefined) writeFileSync(join(lab.folder, "deploy"), text, { mode: 0o600 });
}

test("two applies that overlap lose no token and leave none over, once one more apply is made", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...roles),
      fc.constantFrom(...starts),
      fc.array(fc.nat(1), { minLength: 16, maxLength: 16 }),
      fc.nat(2),
      async (role, start, choices, last) => {
        const now = Date.now();
        await using lab = await openDirectLab({ world: worldAt(role, start, now), now: new Date(now) });
        putFirst(lab, role);
        const order = turns(2, choices);
        const roads = [0, 1].map((actor) => lab.another({ turn: () => order.wait(actor) }));
        await Promise.all(
          roads.map(async (road, actor) => {
            await order.wait(actor);
            await road.apply(declared[role]).finally(order.finish);
          }),
        );
        const alone = last === 2 ? lab : lab.another();
        const report = await alone.apply(declared[role]);
        expect(report.outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
        expectOneHeld(lab.sandbox.state(), role, "deploy", readFileSync(join(lab.folder, "deploy"), "utf8"));
        expect((await lab.plan(declared[role])).changes).toEqual([]);
      },
    ),
    {
      numRuns: lawRuns * 3,
      examples: roles.flatMap((role) => [
        // Both create a first token concurrently: two tokens with one description.
        [role, "nothing", [0, 1, 0, 1, 0, 1, 0, 1], 1],
        // One finishes what the other has begun: the sink then holds a revoked token.
        [role, "due", [1, 1, 0, 0, 0, 0, 0, 0], 0],
      ]),
    },
  );
});
