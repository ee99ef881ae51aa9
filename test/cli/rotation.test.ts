import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { World } from "../../src/sandbox/world.ts";
import { type Desk, openDesk, setpoint } from "../support/commands.ts";
import { document } from "../support/manifest.ts";
import { expectOneHeld, filesBelow } from "../support/tokens.ts";

const robot = (deliver: Readonly<Record<string, unknown>>) =>
  document("PersonalToken", { description: "robot", validFor: 3, rotateBefore: "30d", deliver });
const toFile = robot({ file: "secrets/robot" });
const store = "umask 077; cat > kept";
const kill = "kill -9 $PPID";
const toCommand = (command: string, check: string) =>
  robot({ command: ["sh", "-c", command], check: ["sh", "-c", check] });

/** A desk that remembers everything its commands print and every token that ever existed. */
async function observedDesk(manifests: string, world = defaultWorld()) {
  const desk = await openDesk(manifests, { sandbox: { world } });
  const printed: string[] = [];
  const secrets = new Set<string>();
  return {
    ...desk,
    async run(...args: readonly string[]) {
      const ended = await desk.run(args);
      printed.push(ended.out, ended.err);
      for (const { secret } of desk.sandbox.state().wiki.tokenPlugin.tokens) secrets.add(secret);
      return ended;
    },
    /** Watches for one more token. */
    remember(secret: string) {
      expect(secret).not.toBe("");
      secrets.add(secret);
    },
    /** Asserts that no token appears anywhere but in the sinks. */
    expectSilence(...sinks: readonly string[]) {
      const files = Object.entries(filesBelow(desk.path)).filter(([path]) => !sinks.includes(path));
      expect(files.map(([path]) => path)).toContainEqual(expect.stringContaining(".setpoint/runs/"));
      const everything = [...printed, ...files.map(([, content]) => content)].join("\n");
      expect([...secrets].filter((secret) => everything.includes(secret))).toEqual([]);
    },
  };
}

/** A world whose robot has a token that expires in a week. */
function endingSoon(): World {
  const world = defaultWorld();
  const now = Date.now();
  const day = 86_400_000;
  const old = { id: 7, user: "admin", description: "robot", created: now - 84 * day, validUntil: now + 7 * day };
  return World.parse({
    ...world,
    wiki: { ...world.wiki, tokenPlugin: { tokens: [{ ...old, secret: "the-old-one" }] } },
  });
}

const descriptions = ({ sandbox }: Pick<Desk, "sandbox">) =>
  sandbox
    .state()
    .wiki.tokenPlugin.tokens.flatMap(({ description }) => (/^robot/.test(description) ? [description] : []));
const writes = ({ sandbox }: Pick<Desk, "sandbox">) =>
  sandbox.requests().filter(({ effect }) => effect === "write").length;

test("apply refuses a plan that would run commands before it creates anything; plan shows it", async () => {
  await using desk = await observedDesk(toCommand(store, "cat kept"));
  const refused = await desk.run("apply", "--yes");
  expect(refused.code).toBe(4);
  expect(refused.out).toContain("SP2002");
  expect(refused.out).toContain("--allow-exec");
  const planned = await desk.run("plan");
  expect(planned.code).toBe(0);
  expect(planned.out.replaceAll("\n", " ")).toMatch(
    /1 new secret would go to the command \S+: an apply needs --allow-exec\./,
  );
  expect(writes(desk)).toBe(0);
  expect((await desk.run("apply", "--yes", "--allow-exec")).code).toBe(0);
  expectOneHeld(desk.sandbox.state(), "wiki", "robot", readFileSync(join(desk.path, "kept"), "utf8"));
  desk.expectSilence("kept");
});

test("a run that is killed while it delivers the first token is completed by the next one", async () => {
  await using desk = await observedDesk(toCommand(kill, "true"));
  expect((await desk.run("apply", "--yes", "--allow-exec")).code).toBe(null);
  expect(descriptions(desk)).toEqual(["robot"]);
  await desk.write("manifests/all.yaml", toFile);
  const plan = await desk.run("plan", "--json");
  expect(JSON.parse(plan.out).changes).toMatchObject([{ action: "update", risks: ["secret-rotates"] }]);
  expect((await desk.run("apply", "--yes")).code).toBe(0);
  expect(descriptions(desk)).toEqual(["robot (2)"]);
  expectOneHeld(desk.sandbox.state(), "wiki", "robot", readFileSync(join(desk.path, "secrets/robot"), "utf8"));
  expect(await desk.open().plan()).toMatchObject({ is: "planned", plan: { changes: [], unknown: [] } });
  desk.expectSilence("secrets/robot");
});

test("a run that is killed while it checks leaves the old token, and the next run leaves exactly one", async () => {
  await using desk = await observedDesk(toCommand(store, `test ! -e kept || ${kill}`), endingSoon());
  expect((await desk.run("apply", "--yes", "--allow-exec", "--json")).code).toBe(null);
  expect(descriptions(desk)).toEqual(["robot", "robot (2)"]);
  await desk.write("manifests/all.yaml", toCommand(store, "cat kept"));
  const report = await desk.run("apply", "--yes", "--allow-exec", "--json");
  expect(JSON.parse(report.out).outcomes).toMatchObject([{ result: "applied" }]);
  expect(descriptions(desk)).toEqual(["robot (3)"]);
  expectOneHeld(desk.sandbox.state(), "wiki", "robot", readFileSync(join(desk.path, "kept"), "utf8"));
  desk.expectSilence("kept");
});

test("a failed delivery to a command that prints its input shows no token", async () => {
  await using desk = await observedDesk(toCommand("umask 077; tee seen /dev/stderr; exit 1", "true"), endingSoon());
  const { code, out } = await desk.run("apply", "--yes", "--allow-exec");
  expect(code).toBe(1);
  expect(out).toContain("SP4005");
  expect(descriptions(desk)).toEqual(["robot"]);
  // The token was revoked in the same run, so only the command has seen it.
  desk.remember(readFileSync(join(desk.path, "seen"), "utf8"));
  desk.expectSilence("seen");
});

test("a disk that accepts only part of a dotenv file leaves the file as it was, and the new token is revoked", async () => {
  await using desk = await openDesk(robot({ dotenv: ".env", name: "ROBOT" }));
  const others = Array.from({ length: 1000 }, (_none, index) => `VARIABLE_${index}=as it was before\n`).join("");
  await desk.write(".env", others);
  const { code, out } = await setpoint(["apply", "--yes"], {
    cwd: desk.path,
    // Files of at most 40 blocks of 512 bytes.
    env: { ...desk.env, NODE_COMPILE_CACHE: undefined },
    within: ["sh", "-c", 'ulimit -f 40; exec "$@"', "sh"],
  });
  expect(readFileSync(join(desk.path, ".env"), "utf8")).toBe(others);
  expect(code).toBe(1);
  expect(out.replaceAll(/\s+/g, " ")).toMatch(/SP4005 .*: EFBIG.* It was revoked, and nothing else changed\./);
});
