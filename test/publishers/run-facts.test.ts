import { expect, test } from "vitest";
import { repositoryOf, runFacts } from "../../src/publishers/run-facts.ts";

const head = "a".repeat(40);
const merge = "b".repeat(40);
const workflow = {
  GITHUB_SERVER_URL: "https://hosting.example",
  GITHUB_REPOSITORY: "meridian-kites/website",
  GITHUB_RUN_ID: "77",
  GITHUB_SHA: merge,
  GITHUB_REF: "refs/pull/8/merge",
};
const event = { pull_request: { number: 8, head: { sha: head } } };
const link = "https://hosting.example/meridian-kites/website/actions/runs/77";

test("a workflow on a pull request is about its head, not about the merge commit that nobody pushed", () => {
  expect(runFacts({}, workflow, event)).toMatchObject({
    repository: "meridian-kites/website",
    commit: head,
    pullRequest: 8,
    link,
  });
});

test("a workflow on a branch is about its commit", () => {
  const facts = runFacts({}, { ...workflow, GITHUB_REF: "refs/heads/main" }, { after: merge });
  expect(facts).toMatchObject({ commit: merge, pullRequest: undefined, link });
});

test.each([
  [
    { GIT_COMMIT: merge, BUILD_URL: "https://ci.example/job/1/", CHANGE_ID: "8" },
    { commit: undefined, pullRequest: 8 },
  ],
  [
    { GIT_COMMIT: head, BUILD_URL: "https://ci.example/job/1/" },
    { commit: head, link: "https://ci.example/job/1/" },
  ],
  [
    { CI_COMMIT_SHA: head, CI_JOB_URL: "https://ci.example/-/jobs/1" },
    { commit: head, link: "https://ci.example/-/jobs/1" },
  ],
  [
    { GERRIT_CHANGE_NUMBER: "311", GERRIT_PATCHSET_REVISION: head, GITHUB_SHA: "" },
    { change: 311, revision: head, commit: head },
  ],
  [
    {
      GITHUB_REF: "refs/pull/128/merge",
      GITHUB_REPOSITORY: "o/r",
      GITHUB_RUN_ID: "7",
      CI_JOB_URL: "https://ci.example",
    },
    { pullRequest: 128, repository: "o/r", link: "https://ci.example" },
  ],
  [
    { CHANGE_ID: "main-8", GERRIT_CHANGE_NUMBER: "8a" },
    { pullRequest: undefined, change: undefined },
  ],
])("the variables of %o say %o", (env, facts) => {
  expect(runFacts({}, env, undefined)).toMatchObject(facts);
});

test("the variables of a server that does not name the repository are about the one on the command line", () => {
  const repository = "meridian-kites/website";
  const facts = (env: Readonly<Record<string, string>>) => runFacts({ repository }, env, undefined);
  expect(facts({ GIT_COMMIT: head })).toMatchObject({ repository, commit: head });
  expect(facts({ CI_COMMIT_SHA: head, GITHUB_REPOSITORY: "" })).toMatchObject({ repository, commit: head });
  expect(facts({ GIT_COMMIT: merge, CHANGE_ID: "8" })).toMatchObject({ commit: undefined, pullRequest: 8 });
});

test("facts from the command line are not mixed with variables about something else", () => {
  expect(runFacts({ pullRequest: 9 }, workflow, event)).toMatchObject({ pullRequest: 9, commit: undefined });
  expect(runFacts({ pullRequest: 8 }, workflow, event)).toMatchObject({ pullRequest: 8, commit: head });
  expect(runFacts({ repository: "o/r" }, workflow, event)).toMatchObject({ commit: undefined, pullRequest: undefined });
  const gerrit = { GERRIT_CHANGE_NUMBER: "311", GERRIT_PATCHSET_REVISION: head };
  expect(runFacts({ change: 304 }, gerrit, undefined)).toMatchObject({ change: 304, revision: undefined });
  expect(runFacts({ change: 311 }, gerrit, undefined)).toMatchObject({ change: 311, revision: head });
});

test("a repository is an owner and a name, and nothing else", () => {
  expect(repositoryOf({ repository: "o/r" })).toEqual({ owner: "o", repo: "r" });
  for (const repository of [undefined, "", "o", "o/", "/r", "o/r/x"])
    expect(() => repositoryOf({ repository })).toThrow("which repository");
});
