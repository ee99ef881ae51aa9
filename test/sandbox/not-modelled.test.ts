import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { SandboxRole } from "../../src/sandbox/world.ts";
import { type Answer, ask, basic, sandboxForTest } from "./asking.ts";

type Case = readonly [what: string, path: string, init?: RequestInit];

const json = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const form = (fields: Record<string, string>): RequestInit => ({ method: "POST", body: new URLSearchParams(fields) });

/** What a service does and its stand-in does not. Each case sends one request, as the administrator. */
interface Service {
  readonly send: (sandbox: Sandbox, path: string, init: RequestInit) => Promise<Answer>;
  /** Returns the message of an error. */
  readonly message: (text: string) => string;
  readonly cases: readonly Case[];
}

function authorized(role: SandboxRole, authorization: string): Service["send"] {
  return (sandbox, path, init) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", authorization);
    return ask(`${sandbox.services[role]?.url}${path}`, { ...init, headers });
  };
}

const asAdmin = basic("admin", "secret");
const jar = "/libs-release-local/com/meridian/telemetry/2.4/telemetry-2.4.jar";
const query = (text: string): Case => [
  text,
  "/api/search/aql",
  { method: "POST", headers: { "content-type": "text/plain" }, body: text },
];
const jql = (text: string): Case => [text, `/rest/api/2/search?${new URLSearchParams({ jql: text })}`];
const action = (name: string, fields: Record<string, string>): Case => [
  `${name} ${JSON.stringify(fields)}`,
  "/review/api",
  form({ user: "admin", ltoken: "secret", action: name, project: "core", ...fields }),
];
const search = (text: string) => action("search", { query: text });

const services: Readonly<Record<SandboxRole, Service>> = {
  artifacts: {
    send: authorized("artifacts", asAdmin),
    message: (text) => JSON.parse(text).errors[0].message,
    cases: [
      [
        "a deployment by checksum",
        "/libs-release-local/a",
        { method: "PUT", headers: { "x-checksum-deploy": "true" } },
      ],
      ["a checksum as a file", "/libs-release-local/a.jar.sha256", { method: "PUT", body: "x" }],
      ["properties in the path", "/libs-release-local/a;state=done", { method: "PUT", body: "x" }],
      ["a new folder", "/libs-release-local/a/", { method: "PUT" }],
      ["numbers of downloads", `/api/storage${jar}?stats`],
      ["an unknown depth", "/api/storage/libs-release-local/com?list&deep=yes"],
      ["the difference of builds", "/api/build/telemetry%20release/42?diff=41"],
      ["dependencies", "/api/build/promote/telemetry%20release/42", json({ dependencies: true })],
      ["a part of a build", "/api/build/promote/telemetry%20release/42", json({ sourceRepo: "libs-snapshot-local" })],
      query("archives.find()"),
      query('items.find({"stat.downloads":{"$gt":1}})'),
      query('items.find({"@state":{"$ne":null}})'),
      query('items.find({"type":"link"})'),
      query('items.find().include("artifact.module")'),
      query('items.find().sort({"$asc":["stat.downloads"]})'),
      query("items.find().transitive()"),
    ],
  },
  hosting: {
    send: authorized("hosting", "Bearer secret"),
    message: (text) => JSON.parse(text).message,
    cases: [
      ["an order", "/user/repos?sort=pushed"],
      ["an unknown type", "/orgs/meridian-kites/repos?type=member"],
      ["the committer", "/repos/meridian-kites/website/commits?committer=jdoe"],
      ["more files of a commit", "/repos/meridian-kites/website/commits/main?page=2"],
      ["neither protected nor not", "/repos/meridian-kites/website/branches?protected=1"],
    ],
  },
  review: {
    send: authorized("review", asAdmin),
    message: (text) => text,
    cases: [
      ["projects by a pattern", "/a/projects/?d&r=.*"],
      ...['after:"2026-10-01 10:00:00"', "reviewer:jdoe", "is:wip", "(branch:main OR branch:stable)"].map(
        (q): Case => [q, `/a/changes/?${new URLSearchParams({ q })}`],
      ),
    ],
  },
  ci: {
    async send(sandbox, path, init) {
      const as = authorized("ci", asAdmin);
      const { text, headers } = await as(sandbox, "/crumbIssuer/api/json", {});
      const { crumbRequestField, crumb } = JSON.parse(text);
      const cookie = (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      return as(sandbox, path, { ...init, headers: { [crumbRequestField]: crumb, cookie } });
    },
    message: (text) => /HTTP ERROR 501 ([^<]*)/.exec(text)?.[1] ?? "",
    cases: [
      ["Groovy", "/scriptText", form({ script: "println 1" })],
      ["depth", "/job/nightly-checks/api/json?depth=1"],
      ["a token of a job", "/job/nightly-checks/build?token=t", form({})],
      ["a delay", "/job/firmware/job/bootloader/buildWithParameters?delay=5sec", form({ BRANCH: "main" })],
    ],
  },
  analysis: {
    send: (sandbox, path, init) => ask(`${sandbox.services.analysis?.url}${path}`, init),
    message: (text) => JSON.parse(text).message,
    cases: [
      search("owner:jdoe"),
      search("-state:New"),
      action("report", { x: "Module" }),
      action("metrics", { aggregate: "True" }),
      action("search", { build: "nightly-142" }),
    ],
  },
  tracker: {
    send: authorized("tracker", asAdmin),
    message: (text) => JSON.parse(text).errorMessages[0],
    cases: [
      jql("project = FW OR project = REL"),
      jql("NOT project = FW"),
      jql("(project = FW)"),
      jql("assignee = admin"),
      jql("updated > startOfDay()"),
      jql("status WAS Open"),
      jql("cf[10001] = x"),
      jql("updated > -5d"),
      ["a search without validation", "/rest/api/2/search?validateQuery=false"],
      ["a search without validation", "/rest/api/2/search?validateQuery=strict"],
      ["a search that expands", "/rest/api/2/search?expand=changelog"],
      ["an issue that expands", "/rest/api/2/issue/FW-12?expand=changelog"],
    ],
  },
  wiki: {
    send: authorized("wiki", asAdmin),
    message: (text) => JSON.parse(text).message,
    cases: [
      ["another representation", "/rest/api/content/1?expand=body.view"],
      ["an earlier version", "/rest/api/content/1?version=1"],
    ],
  },
};

describe.each(Object.entries(services))("the stand-in for %s refuses, in the words of its errors", (_role, service) => {
  const { send, message, cases } = service;
  for (const [what, path, init = {}] of cases)
    test(what, async () => {
      const sandbox = await sandboxForTest();
      const before = sandbox.state();
      const { status, text } = await send(sandbox, path, init);
      expect([status, message(text)]).toEqual([501, expect.stringMatching(/^The sandbox does not model .+\.$/m)]);
      expect(sandbox.state()).toEqual(before);
    });
});
