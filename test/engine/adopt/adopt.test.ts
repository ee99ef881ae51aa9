import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Lab, openDirectLab, signOut } from "../../support/lab.ts";

/** Switches the workflows of repositories of the default world. */
function switchWorkflows(lab: Lab, enabled: Readonly<Record<string, boolean>>): void {
  lab.sandbox.change(({ hosting }) => {
    for (const { name, actions } of hosting.repositories) actions.enabled = enabled[name] ?? actions.enabled;
  });
}

function edit(lab: Lab, page: string, fields: { readonly title?: string; readonly body?: string }): void {
  lab.sandbox.change(({ wiki }) => void Object.assign(wiki.pages[page] ?? {}, fields));
}

/** The result for the manifests: the new text, and why the rest is not adopted. */
async function adopted(lab: Lab, text: string, files: Readonly<Record<string, string>> = {}) {
  const adoption = await lab.adopt({ now: text, files });
  return {
    after: adoption.files.map(({ after }) => after).join(),
    refusals: adoption.refusals.map(({ place, message }) => `${place?.line} ${message}`),
  };
}

const repeated = `kind: ActionsPermission
forEach: [website, handbook]
spec:
  org: meridian-kites
  repo: \${each}
  enabled: true # all alike
`;

test("a repeated document is written if all of its resources moved alike, and refused otherwise", async () => {
  await using lab = await openDirectLab();
  switchWorkflows(lab, { website: false, handbook: true });
  expect((await lab.plan({ now: repeated, base: repeated })).changes).toMatchObject([
    { verdict: "drift", repeated: true },
  ]);
  expect(await adopted(lab, repeated)).toEqual({
    after: "",
    refusals: ["1 enabled: forEach expands to 2 resources here, and not all of them are known to have the live value."],
  });
  switchWorkflows(lab, { website: false, handbook: false });
  const after = repeated.replace("true", "false");
  expect(await adopted(lab, repeated)).toEqual({ after, refusals: [] });
  expect((await lab.plan({ now: after, base: after })).changes).toEqual([]);
});

test("a value that comes from a repetition or a variable is not written", async () => {
  await using lab = await openDirectLab();
  switchWorkflows(lab, { website: false });
  const text = `kind: ActionsPermission
forEach: [{ repo: website, on: true }]
spec: { org: meridian-kites, repo: "\${each.repo}", enabled: "\${each.on}" }
`;
  expect(await adopted(lab, text)).toEqual({ after: "", refusals: ["3 enabled: The value comes from ${each.on}."] });
});

test("a field that differs only once another field is adopted is adopted with it", async () => {
  await using lab = await openDirectLab();
  lab.sandbox.change(({ hosting }) => {
    for (const { name, actions } of hosting.repositories)
      if (name === "website") Object.assign(actions, { enabled: true, allowed_actions: "local_only" });
  });
  const text = `kind: ActionsPermission
spec: { org: meridian-kites, repo: website, enabled: false, allowedActions: all }
`;
  const after = text.replace("false", "true").replace("all }", "local_only }");
  expect(await adopted(lab, text)).toEqual({ after, refusals: [] });
});

test("a manually edited page is adopted as the markup that the wiki has", async () => {
  await using lab = await openDirectLab();
  const text = `kind: WikiPage
spec:
  id: "48213"
  title: Calendar # short
  body:
    # written by hand
    markdown: |
      # Old
`;
  edit(lab, "48213", { title: "Über: uns", body: "<h1>New</h1>\n<p>${env:TOKEN}</p>" });
  const { after, refusals } = await adopted(lab, text);
  expect(refusals).toEqual([]);
  expect(after).toBe(`kind: WikiPage
spec:
  id: "48213"
  title: "Über: uns" # short
  body:
    # written by hand
    storage: |-
      <h1>New</h1>
      <p>$\${env:TOKEN}</p>
`);
  expect((await lab.plan({ now: after, base: after })).changes).toEqual([]);
});

test("the file of a page is left alone", async () => {
  await using lab = await openDirectLab();
  edit(lab, "48213", { body: "<p>new</p>" });
  const text = 'kind: WikiPage\nspec: { id: "48213", body: { file: page.md } }\n';
  expect(await adopted(lab, text, { "manifests/page.md": "old\n" })).toEqual({
    after: "",
    refusals: ["2 body: The value is read from a file."],
  });
});

test("that an object is gone, or exists although declared absent, is reported and not written", async () => {
  await using lab = await openDirectLab();
  const text = `kind: AnalysisUser
spec: { name: nobody }
---
kind: AnalysisGroup
metadata: { state: absent }
spec: { name: quality }
`;
  expect(await adopted(lab, text)).toEqual({
    after: "",
    refusals: [
      "4 analysis/AnalysisGroup/quality is declared absent, but the service has it.",
      "1 analysis/AnalysisUser/nobody is declared, but the service does not have it.",
    ],
  });
});

test("unreadable and ignored fields are not written", async () => {
  await using lab = await openDirectLab({ env: { PASSWORD: "p" } });
  edit(lab, "48213", { title: "New" });
  const text = `kind: AnalysisUser
spec: { name: admin, password: "\${env:PASSWORD}" }
---
kind: WikiPage
metadata: { ignore: [title] }
spec: { id: "48213", title: Old }
`;
  const { after, refusals } = await adopted(lab, text);
  expect({ after, refusals: refusals.filter((one) => !one.includes("AnalysisUser")) }).toEqual({
    after: "",
    refusals: [],
  });
});

test("a list keeps its order and its comments", async () => {
  await using lab = await openDirectLab();
  lab.sandbox.change(({ review }) => {
    const project = review.projects["platform/core"];
    if (project === undefined) return;
    const administrators = review.groups.find(({ name }) => name === "Administrators")?.uuid ?? "";
    const rule = (group: string, force: boolean) => ({ group, action: "ALLOW" as const, force });
    project.access["refs/heads/x"] = {
      push: { exclusive: false, rules: [rule(administrators, true), rule("global:Project-Owners", false)] },
    };
  });
  const text = `kind: AccessRule
spec:
  project: platform/core
  ref: refs/heads/x
  permission: push
  rules:
    # the owners
    - group: Project Owners # all
      force: true # once
    - { group: Registered Users }
    - group: Administrators
`;
  const { after, refusals } = await adopted(lab, text);
  expect(refusals).toEqual([]);
  expect(after).toBe(
    text
      .replace("force: true", "force: false")
      .replace("    - { group: Registered Users }\n", "")
      .replace("- group: Administrators\n", "- group: Administrators\n      force: true\n"),
  );
  expect((await lab.plan({ now: after, base: after })).changes).toEqual([]);
});

test("members keep the order in which they are written, whatever the order of the service", async () => {
  await using lab = await openDirectLab();
  lab.sandbox.change(({ analysis }) => {
    analysis.groups = [{ name: "quality", readonly: false, users: ["admin", "jdoe", "rkumar"] }];
  });
  const text = "kind: AnalysisGroup\nspec: { name: quality, exclusive: true, users: [rkumar, auditor, admin] }\n";
  expect(await adopted(lab, text)).toEqual({
    after: text.replace("[rkumar, auditor, admin]", "[rkumar, admin, jdoe]"),
    refusals: [],
  });
});

test("costs the reads of a drift, plus those of what it adopts once more", async () => {
  await using lab = await openDirectLab();
  switchWorkflows(lab, { website: false });
  const others =
    'kind: ActionsPermission\nspec: { org: meridian-kites, repo: website, enabled: true }\n---\nkind: WikiPage\nspec: { id: "48213" }\n';
  await lab.adopt(others);
  expect(lab.asked().toSorted()).toEqual(["getActionsPermissions", "getActionsPermissions", "getPage"]);
});

test("a field that cannot be read again is not adopted on trust", async () => {
  await using lab = await openDirectLab({
    onProgress({ requests }) {
      const { work } = requests.get("hosting") ?? {};
      if (work !== undefined && work.done === work.total) signOut(lab);
    },
  });
  switchWorkflows(lab, { website: false, handbook: false });
  expect(await adopted(lab, repeated)).toEqual({
    after: "",
    refusals: ["1 enabled: Read again with the live value, it is unknown. The service answered 401: Bad credentials."],
  });
});

test("where a secret goes is not forgotten because the secret is not there", async () => {
  await using lab = await openDirectLab();
  const token = `kind: AccessToken
spec: { description: deploy, scope: applied-permissions/user, deliver: { file: deploy } }
`;
  await lab.apply(token);
  writeFileSync(join(lab.folder, "deploy"), "another");
  lab.sandbox.change(({ artifacts }) => {
    for (const one of artifacts.tokens) if (one.description === "deploy") one.scope = "applied-permissions/admin";
  });
  const { fields = [] } = (await lab.plan({ now: token, base: token })).changes[0] ?? {};
  expect(fields.map(({ path }) => path)).toEqual([["deliver"], ["scope"]]);
  expect(await adopted(lab, token)).toEqual({
    after: token.replace("/user", "/admin"),
    refusals: ["1 deliver: The secret is not where the manifest says: an apply delivers a new one."],
  });
});
