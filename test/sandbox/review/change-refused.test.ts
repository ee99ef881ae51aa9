import { describe, expect, test } from "vitest";
import { allow, ref, section } from "./change.ts";
import { devs, post, review, reviewSandbox } from "./review.ts";

describe("refusals", () => {
  test.each([
    ["{", 400, "Invalid application/json in request"],
    ["[]", 400, "Invalid application/json in request"],
    ['{"add":3}', 400, "Invalid application/json in request"],
    [
      '{"add":{"refs/heads/x":{"permissions":{"push":{"rules":{"7":{"action":"NOPE"}}}}}}}',
      400,
      "Invalid application/json in request",
    ],
    ['"x"', 400, "Expected JSON object"],
    ["", 400, "Expected JSON object"],
    ["null", 500, "Internal server error"],
  ])("of the body %s", async (body, status, text) => {
    const answer = await review(await reviewSandbox(), "/a/projects/a%2Fb/access", {
      method: "POST",
      headers: { "content-type": "application/json; charset=UTF-8" },
      body,
    });
    expect([answer.status, answer.text]).toEqual([status, `${text}\n`]);
  });

  test.each([
    ["text/plain", 400, "Expected JSON object"],
    ["application/xml", 400, "Expected Content-Type: application/json"],
  ])("of the content type %s", async (type, status, text) => {
    const answer = await review(await reviewSandbox(), "/a/projects/a%2Fb/access", {
      method: "POST",
      headers: { "content-type": type },
      body: "{}",
    });
    expect([answer.status, answer.text]).toEqual([status, `${text}\n`]);
  });

  test("do not apply to a form, which is accepted but writes nothing", async () => {
    const sandbox = await reviewSandbox();
    const before = sandbox.state();
    const answer = await review(sandbox, "/a/projects/a%2Fb/access", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: JSON.stringify({ add: section("push", { rules: { [devs]: allow } }) }),
    });
    expect(answer.status).toBe(200);
    expect(sandbox.state()).toEqual(before);
  });

  test.each(["rex", "max"])("an account that does not own the project (%s) may change nothing", async (username) => {
    const sandbox = await reviewSandbox();
    const before = sandbox.state();
    const answer = await post(sandbox, { add: section("push", { rules: { [devs]: allow } }) }, username);
    expect([answer.status, answer.text]).toEqual([403, `not permitted: write ref config on ${ref}\n`]);
    expect(sandbox.state()).toEqual(before);
  });

  test("a parent must exist and not be a child", async () => {
    const sandbox = await reviewSandbox({}, { child: { parent: "a/b" } });
    expect((await post(sandbox, { parent: "nope" })).status).toBe(409);
    expect((await post(sandbox, { parent: "child" })).status).toBe(409);
  });
});
