import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { openDesk, workflows } from "../support/commands.ts";
import { machine, runSteps } from "./support/steps.ts";

const Hooks = z.array(z.object({ id: z.string(), entry: z.string(), pass_filenames: z.literal(false) }));
const Config = z.object({ repos: z.array(z.object({ hooks: z.array(z.object({ id: z.string() })) })) });

test("the hooks in the example format and validate, and stop a commit with an error", async () => {
  const shipped = Hooks.parse(parse(readFileSync(".pre-commit-hooks.yaml", "utf8")));
  const example = Config.parse(parse(readFileSync("examples/pipelines/pre-commit/.pre-commit-config.yaml", "utf8")));
  const steps = example.repos.flatMap(({ hooks }) =>
    hooks.map(({ id }) => ({ name: id, run: shipped.find((hook) => hook.id === id)?.entry ?? "false" })),
  );
  expect(steps.map(({ name }) => name).toSorted()).toEqual(shipped.map(({ id }) => id).toSorted());

  await using desk = await openDesk(workflows("website", false));
  const place = { cwd: desk.path, env: await machine(desk) };
  const codes = async () => (await runSteps(steps, place)).map(({ name, code }) => [name, code]);
  expect(await codes()).toEqual([
    ["setpoint-fmt", 0],
    ["setpoint-validate", 0],
  ]);
  expect(readFileSync(join(desk.path, "manifests/all.yaml"), "utf8")).toMatch(/^kind: /);
  await desk.write("manifests/all.yaml", "kind: Nonesuch\nspec: {}\n");
  expect((await codes()).at(-1)?.[1]).not.toBe(0);
  expect(desk.sandbox.requests()).toEqual([]);
});
