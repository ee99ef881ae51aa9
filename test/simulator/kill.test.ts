import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { services as clients } from "../../src/clients/services.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { readContent, respond } from "../../src/sandbox/server/respond.ts";
import { World } from "../../src/sandbox/world.ts";
import { openWorkspace } from "../../src/setpoint.ts";
import { type Listening, listen, start, temporaryFolder } from "../support/commands.ts";
import { document, inFlow } from "../support/manifest.ts";
import { isNightly, measured } from "../support/measured.ts";
import { expectOneHeld } from "../support/tokens.ts";
import { chanceOf } from "./chance.ts";

/** The applied changes: switched workflows, new tokens and rotated tokens, many more in the nightly run. */
const repositories = Array.from({ length: isNightly ? 150 : 10 }, (_, index) => `repo-${index}`);
const tokens = Array.from({ length: isNightly ? 25 : 10 }, (_, index) => `token ${String(index).padStart(2, "0")}:`);
const roles = ["artifacts", "wiki"] as const;

const manifests = [
  ...repositories.map((repo) => document("ActionsPermission", { org: "acme", repo, enabled: false })),
  ...tokens.map((description, index) =>
    document("AccessToken", {
      description,
      scope: "applied-permissions/admin",
      deliver: { file: `artifacts/${index}` },
    }),
  ),
  ...tokens.map((description, index) =>
    document("PersonalToken", { description, validFor: 3, deliver: { file: `wiki/${index}` } }, { service: "wiki" }),
  ),
].join("");
const changes = repositories.length + 2 * tokens.length;

const day = 86_400_000;

/** Returns a world in which all repositories run workflows, and every other token exists but differs from its manifest. */
function worldBefore(): World {
  const rotated = tokens.filter((_, index) => index % 2 === 0);
  const now = Date.now();
  return World.parse({
    accounts: [{ username: "admin", name: "Admin", secret: "secret", rights: "admin" }],
    hosting: { repositories: repositories.map((name, id) => ({ id, owner: "acme", name })) },
    artifacts: {
      tokens: rotated.map((description, index) => ({
        token_id: `old-${index}`,
        username: "admin",
        scope: "applied-permissions/user",
        description,
        issued: "2026-01-01T00:00:00.000Z",
        expires_in: 0,
      })),
    },
    wiki: {
      tokenPlugin: {
        tokens: rotated.map((description, index) => ({
          id: index + 1,
          user: "admin",
          description,
          created: now - day,
          validUntil: now + 300 * day,
          secret: `old-${index}`,
        })),
      },
    },
  });
}

/** When the process is killed: at which request, and whether before or after it takes effect. */
interface Moment {
  readonly request: number;
  readonly isAfter: boolean;
}

interface Server extends Listening {
  readonly world: () => World;
  readonly count: () => number;
  /** Kills a process when the moment comes. */
  watch(victim: ChildProcess, moment: Moment): void;
}

/** Serves the services over HTTP, and can kill a client at a given request. */
async function openServer(): Promise<Server> {
  let world = worldBefore();
  let count = 0;
  let plot: { readonly victim: ChildProcess; readonly moment: Moment } | undefined;
  const listening = await listen(async (request, response) => {
    const content = await readContent(request);
    count += 1;
    const isNow = plot !== undefined && plot.moment.request === count;
    if (isNow) plot?.victim.kill("SIGKILL");
    if (isNow && plot?.moment.isAfter === false) return;
    const { method = "GET", url = "/", headers } = request;
    const asked = { method, url, headers, content, now: Date.now(), origin: listening.url };
    const responded = respond(asked, world);
    world = responded.world;
    if (!isNow) response.writeHead(responded.reply.status, responded.reply.headers).end(responded.reply.body);
  });
  return {
    ...listening,
    world: () => world,
    count: () => count,
    watch(victim, moment) {
      plot = { victim, moment };
    },
  };
}

function workspaceFile(url: string): string {
  const services = ["hosting", ...roles].map((name) => {
    const [type] = Object.values(clients).find(({ role }) => role === name)?.types ?? [];
    return `  ${name}: ${inFlow({ type, url: `${url}/${name}`, limits: { timeout: "2m" } })}\n`;
  });
  return `version: 1\nservices:\n${services.join("")}`;
}

/** Kills an apply at a moment, applies again, and checks the result. Returns the number of requests of both applies. */
async function killedAt(moment: Moment | undefined): Promise<number> {
  await using folder = await temporaryFolder();
  await using server = await openServer();
  const env = environmentFor(server.url);
  await folder.write("setpoint.yaml", workspaceFile(server.url));
  await folder.write("manifests/all.yaml", manifests);
  if (moment !== undefined) {
    const victim = start(["apply", "--yes"], { cwd: folder.path, env });
    victim.stdout.resume();
    victim.stderr.resume();
    server.watch(victim, moment);
    await once(victim, "close");
    expect(victim.signalCode).toBe("SIGKILL");
  }
  const workspace = openWorkspace({ path: folder.path, env });
  const planned = await workspace.plan();
  if (planned.is === "wrong") throw new Error(planned.problems.map(({ message }) => message).join());
  const { outcomes } = await workspace.apply(planned);
  expect(outcomes.filter(({ result }) => result !== "applied")).toEqual([]);
  if (moment === undefined) expect(outcomes).toHaveLength(changes);
  const requests = server.count();
  const again = await workspace.plan();
  expect(again.is === "planned" ? again.plan.changes : again).toEqual([]);
  expect(server.world().hosting.repositories.filter(({ actions }) => actions.enabled)).toEqual([]);
  for (const role of roles)
    for (const [index, description] of tokens.entries())
      expectOneHeld(server.world(), role, description, readFileSync(join(folder.path, role, `${index}`), "utf8"));
  return requests;
}

const { SETPOINT_KILLS = isNightly ? "200" : "2" } = process.env;

test(`the next apply finishes an apply of ${changes} changes that was killed, at each of ${SETPOINT_KILLS} moments`, async () => {
  const requests = await killedAt(undefined);
  const chance = chanceOf(isNightly ? Date.now() : 45);
  const moments = Array.from({ length: Number(SETPOINT_KILLS) }, (_, index) => ({
    request: 1 + chance.below(requests),
    isAfter: index % 2 === 0,
  }));
  for (const [index, moment] of moments.entries()) {
    await killedAt(moment).catch((error: unknown) => {
      throw new Error(`Killed at ${JSON.stringify(moment)} of ${requests} requests`, { cause: error });
    });
    measured("kills", { changes, requests, moments: index + 1, right: index + 1 });
  }
});
