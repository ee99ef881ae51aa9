import { describe, expect, test } from "vitest";
import { wikiOperations } from "../../../src/clients/wiki/operations.ts";
import { type Case, callOnSandbox, tokenCases } from "../on-sandbox.ts";

/** The key of jdoe: the 32 digits of a digest. */
const keyOfJdoe = "d30a5f57532a603697ccbb51558fa02c";

const cases: Readonly<Record<keyof typeof wikiOperations, Case>> = {
  getCurrentUser: {
    args: {},
    result: {
      type: "known",
      username: "admin",
      userKey: expect.stringMatching(/^[0-9a-f]{32}$/),
      displayName: "Ada Brandt",
    },
  },
  getServerManifest: { args: {}, result: expect.objectContaining({ version: "8.5.17" }) },
  getPage: {
    args: { pageId: "48213" },
    result: {
      id: "48213",
      type: "page",
      title: "Release calendar",
      space: { key: "ENG" },
      version: { number: 2, message: "2.5 beta", by: { username: "jdoe", displayName: "Jo Doe" } },
      body: { storage: { value: expect.stringContaining("2.4 GA"), representation: "storage" } },
      ancestors: [{ id: "48100" }],
    },
  },
  updatePage: {
    args: {
      pageId: "48213",
      type: "page",
      title: "Dates",
      version: { number: 3, message: "Shorter" },
      body: { storage: { value: "<p>Soon.</p>", representation: "storage" } },
      ancestors: [{ id: "48100" }],
    },
    result: { id: "48213", version: { number: 3 } },
    after: ({ state }) =>
      expect(state().wiki.pages["48213"]).toMatchObject({ title: "Dates", body: "<p>Soon.</p>", ancestors: ["48100"] }),
  },
  ...tokenCases("wiki", keyOfJdoe),
};

describe.each(["product", "documented"] as const)("wire: %s", (wire) => {
  // The page that the update case writes has ancestors.
  const rows = Object.entries(wikiOperations).filter(
    ([name, row]) => wire === "product" || (name !== "updatePage" && !("ext" in row && row.ext)),
  );
  test.each(rows.map(([name]) => name))("%s is answered by the sandbox and decoded", async (name) => {
    const found = Object.entries(cases).find(([known]) => known === name)?.[1];
    if (found === undefined) throw new Error(`no case for ${name}`);
    await callOnSandbox("wiki", wire, name, found);
  });
});
