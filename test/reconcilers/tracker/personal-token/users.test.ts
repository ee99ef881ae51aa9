import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Lab, openLab, problemsOf } from "../../../support/lab.ts";
import { now, tokensOf, worldWith } from "./tokens.ts";

describe.each(["tracker", "wiki"] as const)("PersonalToken of the %s", (role) => {
  const { open, token, live, results } = tokensOf(role);

  test("finds a user's tokens on all pages of everyone's, and leaves another user's token with that description alone", async () => {
    const world = worldWith(
      role,
      [
        ...Array.from({ length: 4 }, (_, n) => ({ description: `more ${n}`, user: "jdoe" })),
        { description: "robot", user: "jdoe" },
        { description: "robot" },
      ],
      { largestPage: 2 },
    );
    await using lab = await openLab({ world, now });
    const user = await userKey(lab, role);
    expect((await lab.plan(token({ user, validFor: 6 }))).changes).toEqual([]);
    lab.asked();
    const report = await lab.apply(token({ user }, { state: "absent" }));
    expect(results(report)).toEqual(["applied"]);
    expect(lab.asked().filter((name) => name !== "filterTokens")).toEqual(["deleteToken"]);
    expect(live(lab)).toEqual(["more 0", "more 1", "more 2", "more 3", "robot"]);
    expect(results(await lab.apply(token({ user })))).toEqual(["applied"]);
    expect(lab.sandbox.state()[role].tokenPlugin.tokens.at(-1)).toMatchObject({ user: "jdoe", description: "robot" });
  });

  test("does not delete the caller's own token once its manifest names the owner, and only one manifest can manage it", async () => {
    await using lab = await open([{ description: "robot" }, { description: "robot (2)", ends: -1 }]);
    const named = token({ user: await userKey(lab, role, "admin") });
    const moved = await lab.plan({ base: token(), now: named });
    expect([moved.changes, moved.inSync]).toEqual([[], [expect.stringMatching(/: robot$/)]]);
    const workspace = `exclusive: [{ kind: PersonalToken, service: ${role} }]\n`;
    expect((await lab.plan({ now: named, workspace })).calls).toEqual([]);
    expect(await problemsOf(lab.plan(token({ deliver: undefined }) + named))).toMatchObject([
      { code: "SP1016", message: expect.stringMatching(/both manage the token id 1\.$/), other: {} },
    ]);
  });

  test("a secret in the sink that signs in nobody, or someone else, is a difference, and no other secret is tried", async () => {
    await using lab = await open([
      { description: "robot" },
      { description: "other" },
      { description: "x", user: "jdoe" },
    ]);
    const two = token() + token({ description: "other", deliver: { file: "other" } });
    for (const secret of ["nobody's", "secret-of-2"]) {
      for (const file of ["robot", "other"]) writeFileSync(join(lab.folder, file), secret, { mode: 0o600 });
      const { changes } = await lab.plan(two);
      expect(changes).toMatchObject([{ note: "the secret in its sink is not this token's" }]);
      // A refusal counts against the account, which a few of them would lock.
      expect(lab.asked()).toHaveLength(2);
    }
  });

  test("tries the secret in the declared sink, and not the one in the sink that the base declares", async () => {
    await using lab = await open([{ description: "robot" }]);
    for (const file of ["robot", "former"]) writeFileSync(join(lab.folder, file), "nobody's", { mode: 0o600 });
    const { changes } = await lab.plan({ now: token(), base: token({ deliver: { file: "former" } }) });
    expect(changes).toMatchObject([{ note: "the secret in its sink is not this token's" }]);
  });

  test("does not try the secret in the sink of another user's token, since the user's name is unknown", async () => {
    await using lab = await open([{ description: "robot", user: "jdoe" }]);
    writeFileSync(join(lab.folder, "robot"), "nobody's", { mode: 0o600 });
    const user = await userKey(lab, role);
    lab.asked();
    expect((await lab.plan(token({ user }))).changes).toEqual([]);
    expect(new Set(lab.asked())).toEqual(new Set(["filterTokens"]));
  });
});

/** The key by which a service knows an account. */
async function userKey(lab: Lab, role: "tracker" | "wiki", name: "admin" | "jdoe" = "jdoe"): Promise<string> {
  const path = role === "tracker" ? "/rest/api/2/myself" : "/rest/api/user/current";
  const headers = { authorization: `Basic ${btoa(`${name}:${name === "jdoe" ? "jdoe-" : ""}secret`)}` };
  const user: { readonly key?: string; readonly userKey?: string } = JSON.parse(
    await (await fetch(`${lab.sandbox.services[role].url}${path}`, { headers })).text(),
  );
  return user.key ?? user.userKey ?? "";
}
