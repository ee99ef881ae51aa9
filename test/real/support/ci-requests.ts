import fc from "fast-check";
import type { Answer, Asking, CiServer } from "./hudson.ts";

const jobs = ["<job>", "<job>", "<job>", "none", "built"];
const jobTrees = ["name,url,buildable", "builds[number],nextBuildNumber", "lastBuild[number]", "name, builds", "nope"];
const broken = ["", "a[", "a]", "a[]", "a,", "[a]"];
const buildTrees = ["number,result,building,url", "actions[parameters[name,value]]", ...broken];
const parameterAt = "/*/action/parameter";
const xpaths = [
  ...[`${parameterAt}[name='BRANCH']/value`, `${parameterAt}[value="it's"]/name`, "/freeStyleBuild/number"],
  ...[`${parameterAt}[name='NOPE']/value`, parameterAt, "/workflowRun"],
];
const posted = [
  ...[
    "<project/>",
    "<project><disabled>true</disabled></project>",
    "<project><!-- ours --><description>ü &amp; x</description></project>",
  ],
  ...[
    "<?xml version='1.0'?>\n<!-- ours --><project>\n  <disabled>false</disabled>\n</project>\n",
    "<project>",
    "{}",
    "",
    "text",
  ],
];
const post = { method: "POST" } as const;

function reading(path: string): readonly [string, Asking] {
  return [path, {}];
}

/** Requests to a server with the jobs `built` and `enabled`, and the job `<job>` of the run. */
export const ciRequest: fc.Arbitrary<readonly [string, Asking]> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...jobs), fc.constantFrom(...jobTrees, ...broken))
    .map(([job, tree]) => reading(`/job/${job}/api/json?tree=${encodeURIComponent(tree)}`)),
  fc.constantFrom("<job>", "<job>", "none").map((job) => reading(`/job/${job}/config.xml`)),
  fc
    .tuple(
      fc.constantFrom("<job>", "<job>", "none"),
      fc.constantFrom(...posted),
      fc.constantFrom("application/xml", "text/xml", "text/plain"),
    )
    .map(([job, body, type]) => [`/job/${job}/config.xml`, { ...post, body, type }] as const),
  fc.constantFrom(...buildTrees).map((tree) => reading(`/job/built/1/api/json?tree=${encodeURIComponent(tree)}`)),
  fc.constantFrom(...xpaths).map((xpath) => reading(`/job/built/1/api/xml?xpath=${encodeURIComponent(xpath)}`)),
  fc.constantFrom<readonly [string, Asking]>(
    ...[reading("/api/json?tree=mode"), reading("/nothing"), reading("/job/built/9/api/json")],
    ["/api/json", { password: "wrong" }],
    ...["/job/<job>/build", "/job/<job>/config.xml"].flatMap((path): (readonly [string, Asking])[] => [
      [path, { ...post, body: "", password: "wrong" }],
      [path, { ...post, body: "", crumb: "wrong" }],
    ]),
    ...[
      "/job/none/build",
      "/job/none/buildWithParameters",
      // This server does not look first whether the job is disabled.
      "/job/enabled/buildWithParameters",
      "/job/<job>/9/stop",
      "/job/built/1/stop",
    ].map((path) => [path, { ...post, body: "" }] as const),
  ),
);

/** Returns an answer without what differs between the two servers: URLs, classes, empty actions, error pages. */
export function comparable({ url }: CiServer, { status, type, text, location }: Answer): object {
  if (status >= 400) return text.startsWith("XPath ") ? { status, type, text: text.trim() } : { status };
  const body = text.replaceAll(url, "");
  if (body === "") return { status, location: location.replace(url, "") };
  if (type !== "application/json") return { status, type, body };
  const decoded: unknown = JSON.parse(body, (name, value: unknown) => {
    if (name === "_class") return undefined;
    return name === "actions" && Array.isArray(value) ? value.filter((one) => Object.keys(one).length > 0) : value;
  });
  return { status, type, decoded };
}
