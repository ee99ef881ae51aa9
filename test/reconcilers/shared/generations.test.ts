import { expect, test } from "vitest";
import { findToken } from "../../../src/reconcilers/shared/generations.ts";

test.each([
  ["absent", "the expiry", { expiry: ["?"] }],
  ["unknown", "the description", { description: ["?"] }],
])("a token that is not found is %s if %s of another one is not understood", async (is, _what, unclear) => {
  const other = { id: 1, description: "other", ends: undefined, created: undefined, unclear };
  const found = await findToken([other], { description: "deploy" }, new Date(0), async () => ({ is: "untold" }));
  expect(found.is).toBe(is);
});
