import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDirectLab } from "../support/lab.ts";
import { document } from "../support/manifest.ts";

const token = document("AccessToken", {
  description: "deploy",
  scope: "applied-permissions/user",
  deliver: { file: "secrets/deploy" },
});
const bot = (deliver: object) =>
  document("AccessToken", { description: "bot", scope: "applied-permissions/user", deliver });
const wikiToken = (deliver: object) =>
  document("PersonalToken", { description: "bot", validFor: 3, deliver }, { service: "wiki" });
const user = (password: string) => document("AnalysisUser", { name: "newcomer", password });

describe.each([
  ["one service", bot],
  ["two services", wikiToken],
])("two secrets of %s", (_of, other) => {
  const file = { file: "t" };
  const variable = { dotenv: "t", name: "A" };

  test.each([
    [file, file, "the file t"],
    [variable, variable, "A in the file t"],
    [file, variable, "the file t"],
    [variable, file, "the file t"],
  ])("are not delivered to one place: %j and %j", async (first, second, place) => {
    await using lab = await openDirectLab();
    const deploy = document("AccessToken", {
      description: "deploy",
      scope: "applied-permissions/user",
      deliver: first,
    });
    expect(await lab.tryPlan(deploy + other(second))).toMatchObject({
      is: "wrong",
      problems: [
        {
          code: "SP1016",
          message: expect.stringContaining(`are both delivered to ${place}.`),
          hint: "Deliver each secret to a file, or to a variable, of its own.",
        },
      ],
    });
  });

  test.each(["setpoint.yaml", "SETPOINT.yaml"])("are not delivered to %s, which would be lost", async (path) => {
    await using lab = await openDirectLab();
    expect(await lab.tryPlan(other({ file: path }))).toMatchObject({
      is: "wrong",
      problems: [
        {
          code: "SP1016",
          message: expect.stringMatching(/^Its secret would replace .+, a file of the workspace itself\.$/),
        },
      ],
    });
  });

  test("may be two variables of one file", async () => {
    await using lab = await openDirectLab();
    const both = bot({ dotenv: "t", name: "B" }).replaceAll("bot", "deploy") + other(variable);
    expect(await lab.tryPlan(both)).toMatchObject({ is: "planned" });
  });
});

test.each(["secrets/deploy", "./secrets/../secrets/deploy"])(
  "an apply sends no secret that it delivers to another service, as ${file:%s}",
  async (path) => {
    await using lab = await openDirectLab();
    const stolen = token + user(`\${file:${lab.folder}/${path}}`);
    await lab.apply(token);
    expect(existsSync(join(lab.folder, "secrets/deploy"))).toBe(true);
    const { outcomes } = await lab.apply(stolen);
    expect(outcomes).toMatchObject([
      {
        address: "analysis/AnalysisUser/newcomer",
        result: "failed",
        problem: { message: expect.stringContaining("of another resource is delivered to it") },
      },
    ]);
    // A file still counts as a secret when its manifest has just been removed.
    const later = await lab.apply({ now: user(`\${file:${lab.folder}/${path}}`), base: token });
    expect(later.outcomes).toContainEqual(
      expect.objectContaining({
        result: "failed",
        problem: expect.objectContaining({
          message: expect.stringContaining("of another resource is delivered to it"),
        }),
      }),
    );
    expect(lab.sandbox.state().analysis.users.map(({ name }) => name)).not.toContain("newcomer");
    expect(lab.asked()).not.toContain("createUser");
  },
);

test("a file still holds a secret when the manifest that delivered it has just been removed, so no page shows it", async () => {
  await using lab = await openDirectLab();
  const now = document("WikiPage", { id: "48213", body: { file: "../secrets/deploy" } });
  expect(await lab.tryPlan({ now, base: token, files: { "secrets/deploy": "hidden" } })).toMatchObject({
    is: "wrong",
    problems: [{ message: expect.stringContaining("a secret is delivered") }],
  });
});
