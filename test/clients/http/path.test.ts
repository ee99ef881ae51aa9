import { expect, test } from "vitest";
import { parsePath } from "../../../src/clients/http/path.ts";

test("placeholders in kebab-case and snake_case name camelCase arguments", () => {
  expect(parsePath("/a/projects/{project-name}/commits/{commit_sha}")).toEqual({
    segments: [
      { literal: "a" },
      { literal: "projects" },
      { argument: "projectName" },
      { literal: "commits" },
      { argument: "commitSha" },
    ],
    query: [],
    fixed: {},
  });
});

test("a slash before the query is kept", () => {
  expect(parsePath("/a/access/?project&n")).toEqual({
    segments: [{ literal: "a" }, { literal: "access" }, { literal: "" }],
    query: ["project", "n"],
    fixed: {},
  });
});

test("fixed form fields follow after a space", () => {
  expect(parsePath("/review/api action=create_role").fixed).toEqual({ action: "create_role" });
});

test("a root alone has no segments, not even an empty one", () => {
  expect(parsePath("{attachment_url}")).toMatchObject({ root: "attachmentUrl", segments: [] });
  expect(parsePath("/").segments).toEqual([{ literal: "" }]);
});

test("a word in angle brackets is literal", () => {
  expect(parsePath("/rest/<token_plugin>/{token-id}").segments).toEqual([
    { literal: "rest" },
    { literal: "token_plugin" },
    { argument: "tokenId" },
  ]);
});
