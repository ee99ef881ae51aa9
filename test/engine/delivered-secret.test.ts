import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLab } from "../support/lab.ts";
import { document } from "../support/manifest.ts";

const token = document("AccessToken", {
  description: "deploy",
  scope: "applied-permissions/user",
  deliver: { file: "secrets/deploy" },
});
const user = (password: string) => document("AnalysisUser", { name: "newcomer", password });

test.each([
  [{ file: "t" }, { file: "t" }],
  [
    { dotenv: "t", name: "A" },
    { dotenv: "t", name: "A" },
  ],
  [{ file: "t" }, { dotenv: "t", name: "A" }],
  [{ dotenv: "t", name: "A" }, { file: "t" }],
])("two secrets, even of two services, are not delivered to one place: %j and %j", async (first, second) => {
  await using lab = await openLab();
  const rivals = [
    document("AccessToken", { description: "deploy", scope: "applied-permissions/user", deliver: first }),
    document("PersonalToken", { description: "deploy", validFor: 3, deliver: second }, { service: "wiki" }),
  ];
  expect(await lab.tryPlan(rivals.join(""))).toMatchObject({
    is: "wrong",
    problems: [{ code: "SP1016", hint: "Deliver each secret to a file, or to a variable, of its own." }],
  });
});

test.each(["secrets/deploy", "./secrets/../secrets/deploy"])(
  "an apply sends no secret that it delivers to another service, as ${file:%s}",
  async (path) => {
    await using lab = await openLab();
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
