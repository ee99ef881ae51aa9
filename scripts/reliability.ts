import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/*
 * Runs the simulator, the kills and the fuzzing at their nightly size, and writes docs/reliability.md from the figures.
 * With --page it only writes the page, from the last figures.
 */

const root = join(import.meta.dirname, "..");
const figures = join(root, "reports/reliability");
const mutants = join(root, "reports/mutation/mutation.json");

const Simulator = z.object({
  laws: z.array(z.string()),
  seeds: z.int(),
  runs: z.int(),
  broken: z.array(z.int()),
  faults: z.record(z.string(), z.int()),
  heldBack: z.array(z.string()),
  heldBackFromTokens: z.array(z.string()),
});
const Kills = z.object({ changes: z.int(), requests: z.int(), moments: z.int(), right: z.int() });
const Fuzz = z.object({ inputs: z.record(z.string(), z.int()), heap: z.int() });
const Mutants = z.object({
  files: z.record(z.string(), z.object({ mutants: z.array(z.object({ status: z.string() })) })),
});

const isPage = process.argv.includes("--page");
const isGreen = isPage || nightly();
writeFileSync(join(root, "docs/reliability.md"), page());
if (!isGreen) process.exitCode = 1;

function nightly(): boolean {
  const env = { ...process.env, SETPOINT_NIGHTLY: "1", SETPOINT_LAW_RUNS: process.env.SETPOINT_LAW_RUNS ?? "2000" };
  const files = ["test/simulator", "test/fuzz"];
  return spawnSync("npx", ["vitest", "run", ...files], { cwd: root, env, stdio: "inherit" }).status === 0;
}

/** The figures of the last nightly run; undefined if there are none. */
function measured<Schema extends z.ZodType>(schema: Schema, path: string): z.output<Schema> | undefined {
  return existsSync(path) ? schema.parse(JSON.parse(readFileSync(path, "utf8"))) : undefined;
}

function page(): string {
  return `# Reliability

The results of the last nightly run. \`npm run reliability\` runs it again and writes this page: it takes hours on a small
machine. \`SETPOINT_SEEDS\`, \`SETPOINT_KILLS\` and \`SETPOINT_LAW_RUNS\` shorten it. Figures that were not measured are missing.
${[simulatorPart(), killsPart(), fuzzPart(), mutationPart()].join("")}`;
}

/** The day on which the figures were measured. */
function dayOf(name: string): string {
  return statSync(join(figures, `${name}.json`))
    .mtime.toISOString()
    .slice(0, 10);
}

function simulatorPart(): string {
  const simulator = measured(Simulator, join(figures, "simulator.json"));
  if (simulator === undefined) return "";
  const { laws, seeds, runs, broken, faults, heldBack, heldBackFromTokens } = simulator;
  const held = [
    ...heldBack.map((fault) => `\`${fault}\` is not drawn yet.`),
    ...(heldBackFromTokens.length === 0
      ? []
      : [`Where a token is declared, not drawn yet: ${heldBackFromTokens.map((fault) => `\`${fault}\``).join(", ")}.`]),
  ];
  const named = broken.length === 0 ? "" : `\nSeeds that broke a law: ${broken.join(", ")}.\n`;
  return `
## Simulator

The whole composition, including its real clients, runs against the sandbox in one process, with virtual time. A seed determines
the world, the manifests of all kinds and the faults. \`SETPOINT_SEED=<seed> npx vitest run test/simulator\` repeats one.

| ${dayOf("simulator")} | |
|---|---:|
| seeds | ${seeds} |
| runs of the program | ${runs} |
| seeds that broke a law | ${broken.length} |
${named}
Laws:

${laws.map((law) => `- ${law}`).join("\n")}

| fault | times |
|---|---:|
${Object.entries(faults)
  .map(([fault, times]) => `| ${fault} | ${times} |`)
  .join("\n")}
${held.map((line) => `\n${line}\n`).join("")}`;
}

function killsPart(): string {
  const kills = measured(Kills, join(figures, "kills.json"));
  if (kills === undefined) return "";
  const { changes, requests, moments, right } = kills;
  return `
## Kills

A process that applies ${changes} changes is killed with SIGKILL at a random one of its ${requests} requests, before or after the
request takes effect. Then one apply finishes the work.

| ${dayOf("kills")} | |
|---|---:|
| moments | ${moments} |
| everything right after one apply | ${right} |
`;
}

function fuzzPart(): string {
  const fuzz = measured(Fuzz, join(figures, "fuzz.json"));
  if (fuzz === undefined) return "";
  const { inputs, heap } = fuzz;
  return `
## Fuzzing

Examples and real answers with bytes, types and fields changed. Each results in a value or in problems: no exception, no hang.

| ${dayOf("fuzz")} | |
|---|---:|
${Object.entries(inputs)
  .map(([name, count]) => `| ${name} | ${count} |`)
  .join("\n")}
| MB of memory that it leaves behind | ${Math.ceil(heap / 1024 / 1024)} |
`;
}

function mutationPart(): string {
  const report = measured(Mutants, mutants);
  if (report === undefined) return "";
  const all = Object.values(report.files).flatMap((file) => file.mutants.map(({ status }) => status));
  const caught = all.filter((status) => status === "Killed" || status === "Timeout").length;
  const missed = all.filter((status) => status === "Survived" || status === "NoCoverage").length;
  return `
## Mutation testing

| ${dayOf("../mutation/mutation")} | |
|---|---:|
| mutants | ${caught + missed} |
| caught | ${caught} |
| score | ${((100 * caught) / (caught + missed)).toFixed(1)} % |
`;
}
