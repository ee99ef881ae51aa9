import { expect, test } from "vitest";
import { rolesOf } from "../../src/core/kind.ts";
import { box } from "../support/fake-kinds.ts";

test("a kind belongs to the services of its role and of other roles with the same objects", () => {
  expect(rolesOf(box)).toEqual(["review"]);
  expect(rolesOf({ ...box, alsoRoles: ["ci", "wiki"] })).toEqual(["review", "ci", "wiki"]);
});
