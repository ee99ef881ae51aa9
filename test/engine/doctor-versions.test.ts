import { describe, expect, test } from "vitest";
import { findingOf } from "../../src/clients/check.ts";
import { supportedVersions, versionFound } from "../../src/clients/versions.ts";
import { wikiChecks } from "../../src/clients/wiki/checks.ts";
import { roles } from "../../src/core/resource.ts";

const circumstances = { username: "robot", wire: "product", declared: [], now: 0 } as const;

describe.each(roles.filter((role) => role in supportedVersions))("%s", (role) => {
  const { since = "", why = "" } = supportedVersions[role] ?? {};

  test("the oldest supported version is in order", () => {
    expect(versionFound(role, since)).toEqual({ says: `${since}, supported since ${since}` });
  });

  test("what comes before it is wrong, and says what is lacking", () => {
    expect(versionFound(role, `${since}-rc1`)).toEqual({
      says: `${since}-rc1 is older than ${since}`,
      wrong: { hint: `Upgrade it to ${since} or newer: since then ${why}.` },
    });
  });

  test("a version newer than any that is known is in order", () => {
    expect(versionFound(role, "999.1").wrong).toBeUndefined();
  });

  test("a version that cannot be compared is unknown, and not wrong", async () => {
    const check = { check: "version", optional: true, find: async () => versionFound(role, "custom build") } as const;
    expect(await findingOf(check, {}, circumstances)).toMatchObject([
      { result: "unknown", says: expect.stringContaining("custom build") },
    ]);
  });
});

test.each([
  ["3.10.9", "3.10.9, supported since 2.14"],
  ["3.10", "3.10, supported since 2.14"],
  ["3.12.1", "3.12.1, supported since 2.14; newer than 3.10, the newest tried"],
])("review %s says whether the tests have seen it", (version, says) => {
  expect(versionFound("review", version)).toEqual({ says });
});

test("an analysis server has no oldest version that is known", () => {
  expect(versionFound("analysis", "24.1")).toEqual({ says: "24.1" });
});

test.each([
  ["robot", /anonymous\.$/],
  [undefined, /A token without a user name is taken since version 7\.9\.$/],
])("a wiki that takes %s for anonymous is wrong", async (username, hint) => {
  const read = { getCurrentUser: async () => ({ type: "anonymous", displayName: "Anonymous" }) };
  expect(await findingOf(wikiChecks[0], read, { ...circumstances, username })).toMatchObject([
    { result: "wrong", says: "not signed in", hint: expect.stringMatching(hint) },
  ]);
});
