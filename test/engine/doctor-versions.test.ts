import { describe, expect, test } from "vitest";
import { runCheck, versionFound } from "../../src/clients/check.ts";
import { allServices } from "../../src/clients/find-service.ts";
import { reviewVersions } from "../../src/clients/review/service.ts";
import { wikiService } from "../../src/clients/wiki/service.ts";

const circumstances = {
  username: "robot",
  origin: "SETPOINT_WIKI_TOKEN",
  wire: "product",
  declared: [],
  now: 0,
} as const;

const supported = allServices.flatMap(({ role, versions }) => (versions === undefined ? [] : [{ role, versions }]));

describe.each(supported)("$role", ({ versions }) => {
  const { since, why } = versions;

  test("the oldest supported version is in order", () => {
    expect(versionFound(versions, since)).toEqual({ says: `${since}, supported since ${since}` });
  });

  test("an older version is wrong, and the finding names what it lacks", () => {
    expect(versionFound(versions, `${since}-rc1`)).toEqual({
      says: `${since}-rc1 is older than ${since}`,
      wrong: { hint: `Upgrade to ${since} or newer: since then, ${why}.` },
    });
  });

  test("a version newer than any known one is in order", () => {
    expect(versionFound(versions, "999.1").wrong).toBeUndefined();
  });

  test("a version that cannot be compared is unknown, not wrong", async () => {
    const find = async () => versionFound(versions, "custom build");
    expect(await runCheck("version", find, "unknown")).toMatchObject([
      { result: "unknown", says: expect.stringContaining("custom build") },
    ]);
  });
});

test.each([
  ["3.13.9", "3.13.9, supported since 2.14"],
  ["3.13", "3.13, supported since 2.14"],
  ["3.14.1", "3.14.1, supported since 2.14; newer than 3.13, the newest tested"],
])("review %s says whether this version has been tested", (version, says) => {
  expect(versionFound(reviewVersions, version)).toEqual({ says });
});

test.each([
  ["robot", /anonymous\.$/],
  [undefined, /Tokens without a user name work since version 7\.9\.$/],
])("a wiki that treats %s as anonymous is wrong", async (username, hint) => {
  const read = { getCurrentUser: async () => ({ type: "anonymous", displayName: "Anonymous" }) };
  const find = () => wikiService.checks.account(read, { ...circumstances, username });
  expect(await runCheck("account", find)).toMatchObject([
    { result: "wrong", says: "not signed in", hint: expect.stringMatching(hint) },
  ]);
});
