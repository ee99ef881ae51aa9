import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import { Plan } from "../../src/core/run/plan.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { readResult } from "../../src/reports/read-result.ts";
import type { Reply } from "../../src/sandbox/exchange.ts";
import { openWorkspace } from "../../src/setpoint.ts";
import { chanceOf } from "../simulator/chance.ts";
import { calm } from "../simulator/faults.ts";
import { machineOf } from "../simulator/machine.ts";
import { runProgram, workspaceFile } from "../simulator/program.ts";
import { virtualTime } from "../simulator/time.ts";
import { universeOf } from "../simulator/universe.ts";
import { heapInUse } from "../support/heap.ts";
import { inMemory } from "../support/in-memory.ts";
import { measured } from "../support/measured.ts";
import { exampleOf, exampleWorld } from "../support/worlds/examples.ts";
import { lawRuns } from "../support/worlds/parts.ts";
import { mutatedJson, mutatedText } from "./mutate.ts";

const kindNames = [...kinds.keys()];
const examples = await Promise.all(kindNames.map(exampleOf));
const files = Object.assign({}, ...examples.map((example) => example.files));
const exampleText = (index: number) => examples[index % examples.length]?.now ?? "";

/** A workspace file with a bit of everything. */
const settings = `${workspaceFile}exclusive:
  - { kind: AnalysisGroup, except: ["a*"] }
policies:
  - { name: titled, kinds: [WikiPage], schema: policies/titled.json, message: Give it a title }
variables: { train: "2.4" }
`;
const policy = JSON.stringify({ properties: { spec: { properties: { title: { pattern: "^[A-Z]" } } } } });

const seeds = fc.record({ seed: fc.nat(), which: fc.nat(1000) });
const runs = {
  manifests: lawRuns * 20,
  "workspace files": lawRuns * 20,
  "plan files": lawRuns * 40,
  "service answers": lawRuns * 6,
};

function validated(workspace: string, manifest: string, schema = policy) {
  const all = { "setpoint.yaml": workspace, "manifests/all.yaml": manifest, "policies/titled.json": schema, ...files };
  return openWorkspace({ files: inMemory(all), env: {} }).validate();
}

/** The most bytes that all tests together may leave in the heap. */
const memory = 128 * 1024 * 1024;
let before = 0;

beforeAll(() => {
  before = heapInUse();
});

afterAll(() => {
  const heap = heapInUse() - before;
  expect(heap).toBeLessThan(memory);
  measured("fuzz", { inputs: runs, heap });
});

test("the input of the fuzzer is valid before it is changed", async () => {
  const { problems, resources } = await validated(settings, exampleText(0));
  expect(problems).toEqual([]);
  expect(resources.length).toBeGreaterThan(0);
});

test("a manifest with any errors causes problems, but never a crash", async () => {
  await fc.assert(
    fc.asyncProperty(seeds, async ({ seed, which }) => {
      const { problems } = await validated(settings, mutatedText(exampleText(which), chanceOf(seed)));
      for (const { code, message } of problems) expect(`${code} ${message}`).toMatch(/^SP\d{4} ./);
    }),
    { numRuns: runs.manifests },
  );
});

test("a workspace file or a policy with any errors causes problems, but never a crash", async () => {
  await fc.assert(
    fc.asyncProperty(seeds, async ({ seed, which }) => {
      const chance = chanceOf(seed);
      const isPolicy = chance.hit(0.3);
      const { problems } = isPolicy
        ? await validated(settings, exampleText(which), mutatedText(policy, chance))
        : await validated(mutatedText(settings, chance), exampleText(which));
      for (const { code } of problems) expect(code).toMatch(/^SP\d{4}$/);
    }),
    { numRuns: runs["workspace files"] },
  );
});

test("a plan file with any errors is refused without an exception", async () => {
  // Each plan has few examples: only one place of it is wrong, but all of it is read.
  const texts = examples.map(({ now }) => now).filter((now) => !now.includes("8a7f808a6c1d"));
  const plans: unknown[] = [];
  for (let first = 0; first < texts.length; first += 4) {
    const now = texts.slice(first, first + 4).map((text) => `---\n${text}`);
    const universe = universeOf(exampleWorld());
    const stage = { universe, time: virtualTime(), chance: chanceOf(1), machine: machineOf(), acts: [] };
    const ending = await runProgram(stage, { now: now.join(""), base: "", files }, calm, "plan");
    if (ending.is !== "reported") throw new Error(`No plan: ${JSON.stringify(ending)}`);
    const plan: unknown = JSON.parse(JSON.stringify(ending.plan));
    expect(Plan.safeParse(plan).success).toBe(true);
    plans.push(plan);
  }
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(...plans), (seed, plan) => {
      const mutated = mutatedJson(plan, chanceOf(seed));
      expect(readResult(JSON.stringify(mutated)).is).toMatch(/^(read|wrong)$/);
    }),
    { numRuns: runs["plan files"] },
  );
});

test("an answer with any errors ends in a report or in problems, within bounded work", async () => {
  await fc.assert(
    fc.asyncProperty(seeds, async ({ seed, which }) => {
      const chance = chanceOf(seed);
      const share = chance.pick([0.1, 0.5, 1]);
      const garble = (reply: Reply) => (chance.hit(share) ? garbled(reply, chance) : reply);
      const universe = universeOf(exampleWorld());
      const stage = { universe, time: virtualTime(), chance: chance.fork(), machine: machineOf(), acts: [], garble };
      const ending = await runProgram(stage, { now: exampleText(which), base: "", files }, calm, "fuzzed");
      if (ending.is === "refused" && !(ending.error instanceof ProblemError)) throw ending.error;
      expect(ending.is).toMatch(/^(reported|refused)$/);
    }),
    { numRuns: runs["service answers"] },
  );
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

/** Returns an answer that means something else, or nothing. */
function garbled({ status, headers, body }: Reply, chance: ReturnType<typeof chanceOf>): Reply {
  const text = Buffer.from(body).toString("utf8");
  const [, prefix = "", json = ""] = /^(\)\]\}'\n|\s*setpoint-outcome )?([[{].*)$/s.exec(text) ?? [];
  if (json !== "" && chance.hit(0.7)) {
    try {
      return { status, headers, body: prefix + JSON.stringify(mutatedJson(JSON.parse(json), chance)) };
    } catch {
      // Lines of JSON, or text that only looks like JSON: its characters are changed below.
    }
  }
  if (chance.hit(0.1)) return { status: chance.pick([200, 204, 301, 404, 418, 500]), headers, body };
  if (chance.hit(0.1)) return { status, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" };
  return { status, headers, body: mutatedText(text, chance) };
}
