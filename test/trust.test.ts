import { describe, expect, onTestFinished, test } from "vitest";
import { type Problem, ProblemError } from "../src/core/problem.ts";
import type { Plan } from "../src/core/run/plan.ts";
import type { Journal } from "../src/engine/journal/journal.ts";
import { type Sandbox, startSandbox } from "../src/sandbox/sandbox.ts";
import { environmentFor } from "../src/sandbox/server/environment.ts";
import { type OpenOptions, type OpenWorkspace, openWorkspace, type PlanOptions } from "../src/setpoint.ts";
import { memoryFiles } from "./manifests/support/workspace.ts";
import { lock, workflows } from "./support/commands.ts";
import { document } from "./support/manifest.ts";

type Files = Readonly<Record<string, string>>;

const policy = (reason: object) =>
  JSON.stringify({ type: "object", properties: { spec: { type: "object", properties: { reason } } } });

/** The merged rules of a repository. */
const rules = {
  services: (url: string): Files => ({
    review: `{ type: gerrit, url: "${url}/review", limits: { timeout: 2m } }`,
    hosting: `{ type: github, url: "${url}/hosting", limits: { timeout: 2m } }`,
    analysis: `{ type: klocwork, url: "${url}/analysis", limits: { timeout: 2m } }`,
  }),
  rest: `guards: { maxDeletes: 1, maxDeletePercent: 100 }
policies: [{ name: short, kinds: [BranchLock], schema: policies/short.json }]
variables: { branch: release-2.3 }
`,
};

function workspaceFile(services: Files, rest = rules.rest, globs = '["manifests/*.yaml"]'): string {
  const lines = Object.entries(services).map(([name, service]) => `  ${name}: ${service}\n`);
  return `version: 1\nmanifests: ${globs}\nservices:\n${lines.join("")}${rest}`;
}

const locks = {
  "manifests/a.yaml": lock("platform/core", "release-2.2"),
  "manifests/b.yaml": lock("platform/core", '"${var.branch}"') + lock("platform/ui", "release-2.4"),
};

/** The merged files of a repository. */
function merged(url: string): Files {
  return {
    "setpoint.yaml": workspaceFile(rules.services(url)),
    "policies/short.json": policy({ maxLength: 10 }),
    "setpoint.prod.yaml": "reason: Frozen\n",
    ...locks,
  };
}

/** The files that a pull request changes; undefined deletes one. */
type Change = (url: string) => Readonly<Record<string, string | undefined>>;

async function sandboxForTest(): Promise<Sandbox> {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A journal that nobody reads. */
const forgetful: Journal = { path: "memory", write: async () => {}, close: async () => {} };

interface Opened {
  readonly workspace: OpenWorkspace;
  readonly sandbox: Sandbox;
  /** The services that were called, once per request. */
  readonly connected: readonly (string | undefined)[];
}

/** Opens the workspace of a pull request, judged by the merged rules. */
async function openPull(change: Change, options: OpenOptions = {}): Promise<Opened> {
  const sandbox = await sandboxForTest();
  const before = merged(sandbox.url);
  const all = Object.entries({ ...before, ...change(sandbox.url) });
  const after = Object.fromEntries(all.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])));
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const workspace = openWorkspace({
    path: "/nowhere",
    trust: "main",
    files: memoryFiles(after),
    filesAt: async () => ({ ...memoryFiles(before), commit }),
    env: environmentFor(sandbox.url),
    runs: { newest: () => undefined, past: () => [], open: () => forgetful },
    ...options,
  });
  return {
    workspace,
    sandbox,
    get connected() {
      return sandbox.requests().map(({ service }) => service);
    },
  };
}

async function planOf(change: Change, planOptions: PlanOptions = {}, options: OpenOptions = {}): Promise<Plan> {
  const pull = await openPull(change, options);
  const planned = await pull.workspace.plan(planOptions);
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  return planned.plan;
}

async function problemsOf(change: Change, planOptions: PlanOptions = {}): Promise<readonly Problem[]> {
  const pull = await openPull(change);
  const planned = await pull.workspace.plan(planOptions);
  expect(pull.connected).toEqual([]);
  return planned.is === "wrong" ? planned.problems : [];
}

const said = ({ trusted }: Plan) =>
  trusted?.changes.map(({ file, path, trusted: from, head }) => [file, path.join("."), from, head]);
const later = ({ trusted }: Plan) => trusted?.onceMerged.map(({ message }) => message);
const addresses = ({ changes }: Plan) => changes.map(({ address, action }) => `${action} ${address}`);

const all = [
  "create review/BranchLock/platform/core:release-2.2",
  "create review/BranchLock/platform/core:release-2.3",
  "create review/BranchLock/platform/ui:release-2.4",
];

test("a pull request that changes only manifests is judged as usual, and the plan names the ref", async () => {
  const plan = await planOf(() => ({ "manifests/c.yaml": lock("platform/ui", "main") }));
  expect(addresses(plan)).toEqual([...all.slice(0, 2), "create review/BranchLock/platform/ui:main", all[2]]);
  expect(plan.trusted).toEqual({
    ref: "main",
    commit: "0123456789abcdef0123456789abcdef01234567",
    changes: [],
    onceMerged: [],
  });
});

test("without a trusted ref, a plan does not mention rules", async () => {
  const plan = await planOf(() => ({}), {}, { trust: undefined });
  expect(plan.trusted).toBeUndefined();
});

describe("addresses of services", () => {
  const changed = (name: string, text: (url: string) => string): Change => {
    return (url) => ({ "setpoint.yaml": workspaceFile({ ...rules.services(url), [name]: text(url) }) });
  };

  test.each([
    ["url", (url: string) => `{ type: gerrit, url: "${url}/hosting", limits: { timeout: 2m } }`],
    ["url", () => '{ type: gerrit, url: "http://127.0.0.1:1", limits: { timeout: 2m } }'],
    ["wire", (url: string) => `{ type: gerrit, url: "${url}/review", wire: documented, limits: { timeout: 2m } }`],
    ["limits.timeout", (url: string) => `{ type: gerrit, url: "${url}/review", limits: { timeout: 3m } }`],
  ])("a changed %s is reported, and not used", async (path, text) => {
    const pull = await openPull(changed("review", text));
    const planned = await pull.workspace.plan();
    if (planned.is === "wrong") throw new ProblemError(...planned.problems);
    expect(addresses(planned.plan)).toEqual(all);
    expect(said(planned.plan)?.map(([file, name]) => [file, name])).toEqual([
      ["setpoint.yaml", `services.review.${path}`],
    ]);
    expect(new Set(pull.connected)).toEqual(new Set(["review"]));
    expect(planned.looked.services.map(({ url }) => url)).toContain(`${pull.sandbox.url}/review`);
  });

  test("an address changed through a variable is reported with its new value", async () => {
    const plan = await planOf((url) => ({
      "setpoint.yaml": workspaceFile(
        { ...rules.services(url), review: '{ type: gerrit, url: "${var.where}", limits: { timeout: 2m } }' },
        `${rules.rest.trimEnd().slice(0, -1)}, where: "http://127.0.0.1:1" }\n`,
      ),
    }));
    expect(said(plan)?.map(([, path, , head]) => [path, head])).toEqual([
      ["services.review.url", "http://127.0.0.1:1"],
      ["variables.where", "http://127.0.0.1:1"],
    ]);
    expect(addresses(plan)).toEqual(all);
  });

  test("a new service is not called, and its resources are unknown, with the reason", async () => {
    const change: Change = (url) => ({
      "setpoint.yaml": workspaceFile({
        ...rules.services(url),
        second: `{ type: gerrit, url: "${url}/review", limits: { timeout: 2m } }`,
      }),
      ...Object.fromEntries(
        Object.entries(locks).map(([path, text]) => [
          path,
          text.replaceAll("spec:", "metadata: { service: review }\nspec:"),
        ]),
      ),
      "manifests/c.yaml": lock("platform/core", "main", "metadata: { service: second }\n"),
    });
    const plan = await planOf(change);
    expect(addresses(plan)).toEqual(all);
    expect(plan.unknown).toMatchObject([
      {
        address: "second/BranchLock/platform/core:main",
        service: "second",
        problem: { code: "SP1023", place: { file: "manifests/c.yaml" } },
      },
    ]);
    expect(plan.services.map(({ name }) => name)).toEqual(["review"]);
    expect(later(plan)).toEqual([]);
    const { workspace } = await openPull(change);
    const { workspace: judged } = await workspace.validate();
    expect(judged?.services.map(({ name }) => name)).toEqual(["review", "hosting", "analysis"]);
  });

  test("a renamed or removed service is not called, and nothing on it is deleted", async () => {
    const { review, ...others } = rules.services("");
    const renamed: Change = (url) => ({
      "setpoint.yaml": workspaceFile({ ...others, code: review ?? "" }).replaceAll('url: "/', `url: "${url}/`),
    });
    const base = { base: "main" };
    const plan = await planOf(renamed, base);
    expect(plan.changes).toEqual([]);
    expect(plan.unknown.map(({ address, problem }) => [address, problem.code])).toEqual([
      ["code/BranchLock/platform/core:release-2.2", "SP1023"],
      ["code/BranchLock/platform/core:release-2.3", "SP1023"],
      ["code/BranchLock/platform/ui:release-2.4", "SP1023"],
    ]);
    const removed: Change = (url) => ({
      "setpoint.yaml": workspaceFile(others).replaceAll('url: "/', `url: "${url}/`),
      "manifests/a.yaml": workflows("website", true),
      "manifests/b.yaml": "",
    });
    const less = await planOf(removed, base);
    expect(less.changes.filter(({ action }) => action === "delete")).toEqual([]);
    expect(said(less)?.map(([, path]) => path)).toEqual(["services.review"]);
  });

  test("a service that becomes another product is not called", async () => {
    const plan = await planOf((url) => ({
      "setpoint.yaml": workspaceFile({
        ...rules.services(url),
        hosting: `{ type: confluence, url: "${url}/hosting", limits: { timeout: 2m } }`,
      }),
      "manifests/c.yaml": document("WikiPage", { id: "48213", title: "x" }),
    }));
    expect(plan.unknown.map(({ address, problem }) => [address, problem.code])).toEqual([
      ["hosting/WikiPage/48213", "SP1023"],
    ]);
  });

  test("a call goes to the trusted address", async () => {
    const pull = await openPull(changed("review", () => '{ type: gerrit, url: "http://127.0.0.1:1" }'));
    expect((await pull.workspace.service("review")).url).toBe(`${pull.sandbox.url}/review`);
  });
});

describe("guards", () => {
  const guarded =
    (guards: string): Change =>
    (url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace(/^guards:.*\n/, guards)),
      "manifests/b.yaml": "",
    });
  /** Makes a plan after locking both branches of `b.yaml`, so that removing them deletes two. */
  async function deleting(change: Change): Promise<Plan> {
    const pull = await openPull(change);
    const before = openWorkspace({
      path: "/nowhere",
      files: memoryFiles(merged(pull.sandbox.url)),
      env: environmentFor(pull.sandbox.url),
      runs: { newest: () => undefined, past: () => [], open: () => forgetful },
    });
    const first = await before.plan();
    if (first.is === "wrong") throw new ProblemError(...first.problems);
    await before.apply(first);
    const planned = await pull.workspace.plan({ base: "main" });
    if (planned.is === "wrong") throw new ProblemError(...planned.problems);
    return planned.plan;
  }
  const both = "review/BranchLock/platform/core:release-2.3, review/BranchLock/platform/ui:release-2.4";
  const refused = ({ refusals }: Plan) => refusals.map(({ message }) => message);

  test("a loosened guard still refuses, and the plan says that it would not once merged", async () => {
    const plan = await deleting(guarded("guards: { maxDeletes: 500, maxDeletePercent: 100 }\n"));
    expect(refused(plan)).toEqual([`The plan deletes 2 resources; the workspace allows 1: ${both}.`]);
    expect(said(plan)).toEqual([["setpoint.yaml", "guards.maxDeletes", 1, 500]]);
    expect(later(plan)).toEqual([
      `Once merged, no guard will refuse this: The plan deletes 2 resources; the workspace allows 1: ${both}.`,
    ]);
  });

  test("a removed guard still refuses", async () => {
    const plan = await deleting(guarded(""));
    expect(refused(plan)).toEqual([`The plan deletes 2 resources; the workspace allows 1: ${both}.`]);
  });

  test("a tightened guard already refuses", async () => {
    const plan = await deleting(guarded("guards: { maxDeletes: 0, maxDeletePercent: 100 }\n"));
    expect(refused(plan)).toEqual([`The plan deletes 2 resources; the workspace allows 0: ${both}.`]);
    expect(later(plan)).toEqual([
      `Refused only by a guard that is not merged yet: The plan deletes 2 resources; the workspace allows 0: ${both}.`,
    ]);
  });
});

describe("limits", () => {
  const limited =
    (limits: string): Change =>
    (url) => ({ "setpoint.yaml": workspaceFile(rules.services(url), `${limits}\n${rules.rest}`) });

  test("a raised limit does not apply, not even to what would be judged once merged", async () => {
    const problems = await problemsOf((url) => ({
      ...limited("limits: { resources: 500000 }")(url),
      "manifests/c.yaml": `forEach: [${"x,".repeat(20_000)}]\n${lock("platform/ui", '"v-${each}"')}`,
    }));
    expect(problems).toMatchObject([
      { message: "With this, the manifests declare more than 20,000 resources.", place: { file: "manifests/c.yaml" } },
    ]);
  });

  test("a lowered limit already refuses", async () => {
    expect(await problemsOf(limited("limits: { resources: 2 }"))).toMatchObject([
      { code: "SP1011", hint: "Declare less, or raise limits.resources in the workspace file." },
    ]);
  });

  test("a pull request cannot change how many errors are shown", async () => {
    const pull = await openPull((url) => ({
      ...limited("limits: { errors: 1 }")(url),
      "manifests/c.yaml": "kind: Lock\n",
    }));
    expect(await pull.workspace.plan()).toMatchObject({ is: "wrong", shown: 50 });
  });

  test("a change is reported, and is not a change of declared resources", async () => {
    const plan = await planOf(limited("limits: { resources: 3, work: 100000 }"));
    expect(addresses(plan)).toEqual(all);
    expect(said(plan)).toEqual([["setpoint.yaml", "limits", undefined, { resources: 3, work: 100_000 }]]);
    expect(later(plan)).toEqual([]);
  });
});

test("a risk that a pull request wants accepted has to be accepted already", async () => {
  const change: Change = (url) => ({
    "setpoint.yaml": workspaceFile(
      rules.services(url),
      rules.rest.replace("{ maxDeletes", "{ accept: [narrows-access], maxDeletes"),
    ),
  });
  expect((await planOf(change)).refusals).toMatchObject([
    { code: "SP2002", hint: expect.stringContaining("--accept") },
  ]);
  expect((await planOf(change, { consent: { accept: ["narrows-access"] } })).refusals).toEqual([]);
});

describe("policies", () => {
  const long = lock("platform/core", "main").replace("branch: main", "branch: main, reason: Far longer than ten");
  const without = rules.rest.replace(/^policies:.*\n/m, "");

  test.each([
    ["removed", (url: string) => ({ "setpoint.yaml": workspaceFile(rules.services(url), without) })],
    ["loosened", () => ({ "policies/short.json": policy({ maxLength: 100 }) })],
    ["emptied", () => ({ "policies/short.json": "{}" })],
    [
      "deleted with its entry",
      (url: string) => ({
        "setpoint.yaml": workspaceFile(rules.services(url), without),
        "policies/short.json": undefined,
      }),
    ],
    [
      "narrowed",
      (url: string) => ({
        "setpoint.yaml": workspaceFile(
          rules.services(url),
          rules.rest.replace("[BranchLock]", "[BranchLock], labels: { a: b }"),
        ),
      }),
    ],
  ] as const)("a policy that is %s still holds", async (_case, change: Change) => {
    const problems = await problemsOf((url) => ({ ...change(url), "manifests/c.yaml": long }));
    expect(problems).toMatchObject([{ code: "SP1019", place: { file: "manifests/c.yaml" } }]);
  });

  test("a policy that is tightened or added already holds, and says that it is not merged", async () => {
    const tight: Change = () => ({ "policies/short.json": policy({ type: "string", minLength: 99 }) });
    const reasoned = lock("platform/core", "main").replace("branch: main", "branch: main, reason: Short");
    const problems = await problemsOf((url) => ({ ...tight(url), "manifests/c.yaml": reasoned }));
    expect(problems).toMatchObject([{ code: "SP1019", message: expect.stringMatching(/^Once merged: /) }]);
    const added = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(
        rules.services(url),
        rules.rest.replace("policies: [", "policies: [{ name: none, schema: policies/none.json }, "),
      ),
      "policies/none.json": policy({ const: "nothing" }),
      "manifests/c.yaml": reasoned,
    }));
    expect(added).toMatchObject([{ code: "SP1019", message: expect.stringMatching(/^Once merged: /) }]);
  });

  test("a loosened policy also holds for the values of the pull request", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(
        rules.services(url),
        rules.rest.replace("branch: release-2.3", "branch: release-2.3, why: Far longer than ten"),
      ),
      "policies/short.json": "{}",
      "manifests/c.yaml": lock("platform/core", "main").replace("branch: main", 'branch: main, reason: "${var.why}"'),
    }));
    expect(problems).toMatchObject([{ code: "SP1019" }]);
  });

  test("a loosened policy holds for values that the pull request changes, as they would be once merged", async () => {
    const change: Change = () => ({
      "setpoint.prod.yaml": "reason: Far longer than ten\n",
      "manifests/a.yaml": lock("platform/core", "main").replace("main }", 'main, reason: "${var.reason}" }'),
    });
    const others: readonly Change[] = [
      () => ({ "policies/short.json": "{}" }),
      (url) => ({ "setpoint.yaml": workspaceFile(rules.services(url), without) }),
      () => ({}),
    ];
    for (const other of others) {
      const { workspace } = await openPull((url) => ({ ...change(url), ...other(url) }), { environment: "prod" });
      const planned = await workspace.plan();
      expect(planned.is === "wrong" && planned.problems.map(({ code, message }) => [code, message])).toEqual([
        ["SP1019", expect.stringMatching(/^Once merged: /)],
      ]);
    }
  });

  test("a change of a policy's schema is reported", async () => {
    const plan = await planOf(() => ({ "policies/short.json": policy({ maxLength: 100 }) }));
    expect(said(plan)).toEqual([["policies/short.json", "properties.spec.properties.reason.maxLength", 10, 100]]);
  });

  test("a manifest cannot be hidden by using it as the schema of a new policy", async () => {
    const plan = await planOf(
      (url) => ({
        "setpoint.yaml": workspaceFile(
          rules.services(url),
          rules.rest.replace("policies: [", "policies: [{ name: x, kinds: [AccessRule], schema: policies/x.json }, "),
        ),
        "policies/x.json": "{}",
      }),
      { base: "main" },
    );
    expect(addresses(plan)).toEqual(all);
    const hidden = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(
        rules.services(url),
        rules.rest.replace("policies: [", "policies: [{ name: x, kinds: [AccessRule], schema: manifests/b.yaml }, "),
      ),
    }));
    expect(hidden.map(({ code }) => code)).not.toEqual([]);
  });
});

describe("values", () => {
  test("a changed default is reported, with its effect", async () => {
    const plan = await planOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace("release-2.3", "main")),
    }));
    expect(addresses(plan)).toEqual(all);
    expect(said(plan)).toEqual([["setpoint.yaml", "variables.branch", "release-2.3", "main"]]);
    expect(later(plan)).toEqual([
      "Once merged, review/BranchLock/platform/core:main is declared.",
      "Once merged, review/BranchLock/platform/core:release-2.3 is no longer declared: a plan with a base would delete it.",
    ]);
  });

  test("a changed environment file and a changed file of values are reported", async () => {
    const reasoned = {
      "manifests/a.yaml": lock("platform/core", "main").replace("main }", 'main, reason: "${var.reason}" }'),
    };
    const plan = await planOf(
      () => ({ ...reasoned, "setpoint.prod.yaml": "reason: Open\n" }),
      {},
      { environment: "prod" },
    );
    expect(said(plan)).toEqual([["setpoint.prod.yaml", "reason", "Frozen", "Open"]]);
    expect(plan.changes.find(({ key }) => key === "platform/core:main")?.fields).toContainEqual(
      expect.objectContaining({ path: ["reason"], desired: "Frozen" }),
    );
    expect(later(plan)).toEqual(["Once merged, review/BranchLock/platform/core:main has other values: reason."]);
  });

  test("a new file of values is reported as a change", async () => {
    const plan = await planOf(() => ({ "setpoint.test.yaml": "reason: Open\n" }), {}, { environment: "test" });
    expect(said(plan)).toEqual([["setpoint.test.yaml", "reason", undefined, "Open"]]);
  });

  test("a new variable can be used immediately, since a manifest could state its value too", async () => {
    const plan = await planOf((url) => ({
      "setpoint.yaml": workspaceFile(
        rules.services(url),
        rules.rest.replace("branch: release-2.3", "branch: release-2.3, other: main"),
      ),
      "manifests/c.yaml": lock("platform/ui", '"${var.other}"'),
    }));
    expect(addresses(plan)).toContain("create review/BranchLock/platform/ui:main");
    expect(later(plan)).toEqual([]);
  });

  test("a number that is written differently is a different text", async () => {
    const numbered = (branch: string, url: string) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace("release-2.3", branch)),
    });
    const sandbox = await sandboxForTest();
    const files = (branch: string) => memoryFiles({ ...merged(sandbox.url), ...numbered(branch, sandbox.url) });
    const workspace = openWorkspace({
      path: "/nowhere",
      trust: "main",
      files: files("2.10"),
      filesAt: async () => files("2.1"),
      env: environmentFor(sandbox.url),
    });
    expect(await workspace.validate()).toMatchObject({ trusted: { changes: [{ path: ["variables", "branch"] }] } });
  });
});

describe("the reported changes of rules", () => {
  const saidOf = async (rest: string, before = rules.rest, head = "") => {
    const sandbox = await sandboxForTest();
    const files = (more: string, first = "") =>
      memoryFiles({
        ...merged(sandbox.url),
        "setpoint.yaml": first + workspaceFile(rules.services(sandbox.url), more),
        "policies/b.json": "{}",
      });
    const workspace = openWorkspace({
      path: "/nowhere",
      trust: "main",
      files: files(rest, head),
      filesAt: async () => files(before),
      env: environmentFor(sandbox.url),
    });
    return (await workspace.validate()).trusted?.changes;
  };
  const policies = (...names: readonly string[]) =>
    `${rules.rest}`.replace(
      /^policies:.*$/m,
      `policies: [${names.map((name) => `{ name: ${name}, schema: policies/${name}.json }`).join(", ")}]`,
    );

  test("include the order of a list", async () => {
    expect(await saidOf(policies("b", "short"), policies("short", "b"))).toMatchObject([{ path: ["policies"] }]);
  });

  test("do not include the modeline for editors", async () => {
    expect(await saidOf(rules.rest, rules.rest, "$schema: ./setpoint.schema.json\n")).toEqual([]);
  });

  test("do not show a password in an address", async () => {
    const where = "variables: { where: 'https://admin:pa55word@example.com/x', ";
    const changes = await saidOf(rules.rest.replace("variables: { ", where));
    expect(changes).toMatchObject([{ path: ["variables", "where"], head: expect.stringContaining("example.com/x") }]);
    expect(JSON.stringify(changes)).not.toContain("pa55word");
  });
});

describe("globs", () => {
  test("dotfiles that only the pull request allows are not read", async () => {
    const globs = '["manifests/*.yaml", "manifests/.*.yaml"]';
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), `${rules.rest}files: ["manifests/.c.yaml"]\n`, globs),
      "manifests/.c.yaml": lock("platform/ui", "main"),
    }));
    expect(problems).toMatchObject([
      { code: "SP1013", message: 'By the rules at main: No manifest matches "manifests/.*.yaml".' },
    ]);
  });

  test("a narrowed glob hides no manifest", async () => {
    const plan = await planOf(
      (url) => ({ "setpoint.yaml": workspaceFile(rules.services(url), rules.rest, '["manifests/a*.yaml"]') }),
      { base: "main" },
    );
    expect(addresses(plan)).toEqual(all);
    expect(later(plan)).toEqual([
      "Once merged, review/BranchLock/platform/core:release-2.3 is no longer declared: a plan with a base would delete it.",
      "Once merged, review/BranchLock/platform/ui:release-2.4 is no longer declared: a plan with a base would delete it.",
    ]);
  });

  test("a widened glob adds manifests, as a manifest in the old place would", async () => {
    const plan = await planOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest, '["manifests/*.yaml", "more/*.yaml"]'),
      "more/c.yaml": lock("platform/ui", "main"),
    }));
    expect(addresses(plan)).toContain("create review/BranchLock/platform/ui:main");
    expect(said(plan)?.map(([, path]) => path)).toEqual(["manifests"]);
  });

  test("manifests can move to another folder together with the glob", async () => {
    const plan = await planOf(
      (url) => ({
        "setpoint.yaml": workspaceFile(rules.services(url), rules.rest, '["config/*.yaml"]'),
        "manifests/a.yaml": undefined,
        "manifests/b.yaml": undefined,
        "config/a.yaml": locks["manifests/a.yaml"],
        "config/b.yaml": locks["manifests/b.yaml"],
      }),
      { base: "main" },
    );
    expect(addresses(plan)).toEqual(all);
  });
});

describe("exclusive kinds", () => {
  const exclusive =
    (entry: string): Change =>
    (url) => ({ "setpoint.yaml": workspaceFile(rules.services(url), `${rules.rest}exclusive: [${entry}]\n`) });

  test("a new one deletes nothing, and the plan says what it would delete", async () => {
    const plan = await planOf(exclusive("{ kind: AnalysisUser }"));
    expect(addresses(plan)).toEqual(all);
    expect(plan.trusted?.onceMerged).toMatchObject([
      {
        code: "SP1022",
        message: "Once merged, a plan deletes undeclared objects of AnalysisUser in analysis.",
        place: { file: "setpoint.yaml" },
      },
    ]);
  });

  test.each([
    ["[{ kind: AnalysisUser, except: [admin] }]", "", []],
    ["[{ kind: AnalysisUser, except: [admin] }]", "exclusive: [{ kind: AnalysisUser }]\n", "all but admin"],
    ["[{ kind: AnalysisUser }]", "exclusive: [{ kind: AnalysisUser, except: ['*'] }]\n", []],
  ])("an object is deleted only if both %s and %j delete it", async (before, after, expected) => {
    const sandbox = await sandboxForTest();
    const files = (more: string) =>
      memoryFiles({
        ...merged(sandbox.url),
        "setpoint.yaml": workspaceFile(rules.services(sandbox.url), `${rules.rest}${more}`),
      });
    const planned = await openWorkspace({
      path: "/nowhere",
      trust: "main",
      files: files(after),
      filesAt: async () => files(`exclusive: ${before}\n`),
      env: environmentFor(sandbox.url),
    }).plan();
    if (planned.is === "wrong") throw new ProblemError(...planned.problems);
    const deleted = planned.plan.changes.filter(({ action }) => action === "delete").map(({ key }) => key);
    const others = sandbox
      .state()
      .analysis.users.map(({ name }) => name)
      .filter((name) => name !== "admin");
    expect(deleted).toEqual(expected === "all but admin" ? others.sort() : expected);
  });
});

test("an apply starts only what is merged", async () => {
  const start = (file: string) =>
    `onApplied: [{ service: hosting, workflow: { owner: meridian-kites, repo: website, file: ${file}, ref: main } }]\n`;
  const plan = await planOf((url) => ({
    "setpoint.yaml": workspaceFile(rules.services(url), `${rules.rest}${start("evil.yml")}`),
  }));
  expect(plan.triggers).toBeUndefined();
  expect(said(plan)?.map(([, path]) => path)).toEqual(["onApplied"]);
});

describe("problems", () => {
  test("include those of a broken workspace file", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), "guard: {}\n"),
    }));
    expect(problems).toMatchObject([{ code: "SP1007" }, { code: "SP1004", place: { file: "setpoint.yaml" } }]);
  });

  test("name the ref if its rules are missing or broken", async () => {
    const sandbox = await sandboxForTest();
    const open = (before: Files) =>
      openWorkspace({
        path: "/nowhere",
        trust: "main",
        files: memoryFiles(merged(sandbox.url)),
        filesAt: async () => memoryFiles(before),
        env: {},
      });
    expect(await open({}).plan()).toMatchObject({
      is: "wrong",
      problems: [{ code: "SP1013", message: expect.stringMatching(/^At main: /) }],
    });
    const broken = { ...merged(sandbox.url), "policies/short.json": "{" };
    expect((await open(broken).validate()).problems[0]?.message).toMatch(/^At main: /);
    expect(sandbox.requests()).toEqual([]);
  });

  test("include a variable that is removed and still used, once merged", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace(/^variables:.*\n/m, "")),
    }));
    expect(problems).toMatchObject([{ code: "SP1007", message: expect.stringMatching(/^Once merged: /) }]);
  });

  test("are reported once, and without naming rules, if both sets of rules find them", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace("maxDeletes: 1", "maxDeletes: 500")),
      "manifests/c.yaml": lock("platform/ui", "main").replace("branch: main", "branch: main, nothing: 1"),
    }));
    expect(problems).toMatchObject([{ code: "SP1004", message: expect.not.stringMatching(/^(By the|Once)/) }]);
  });

  test("are in the order of their places, whichever rules find them", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace(/^(policies|variables):.*\n/gm, "")),
      "manifests/c.yaml": lock("platform/ui", "main").replace(
        "branch: main",
        "branch: main, reason: Far longer than ten",
      ),
    }));
    expect(problems.map(({ place }) => place?.file)).toEqual(["manifests/b.yaml", "manifests/c.yaml"]);
    expect(problems[0]?.message).toMatch(/^Once merged: /);
  });

  test("name the trusted rules if only these find them", async () => {
    const problems = await problemsOf((url) => ({
      "setpoint.yaml": workspaceFile(rules.services(url), rules.rest.replace("branch: release-2.3", "branch: true")),
      "manifests/b.yaml": workflows("website", true).replace("true", '"${var.branch}"'),
    }));
    expect(problems).toMatchObject([{ code: "SP1002", message: expect.stringMatching(/^By the rules at main: /) }]);
  });
});

test("a document repeated over a list of a service that only the pull request has is unknown, and that service is not called", async () => {
  const second: Change = (url) => ({
    "setpoint.yaml": workspaceFile({
      ...rules.services(url),
      second: `{ type: github, url: "${url}/hosting", limits: { timeout: 2m } }`,
    }),
  });
  const repeated = (metadata: string, more: string) => `kind: ActionsPermission
${metadata}forEach: { from: { operation: listOrganizationRepositories, org: meridian-kites${more} } }
spec: { org: meridian-kites, repo: "\${each.name}", enabled: false }
`;
  const own: Change = (url) => ({
    ...second(url),
    "manifests/c.yaml": repeated("metadata: { service: second }\n", ", service: second"),
  });
  const pull = await openPull(own);
  const planned = await pull.workspace.plan();
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  expect(planned.plan.unknown).toMatchObject([
    {
      address: "second/ActionsPermission/*",
      service: "second",
      problem: { code: "SP1023", place: { file: "manifests/c.yaml" } },
    },
  ]);
  expect(new Set(pull.connected)).toEqual(new Set(["review"]));
  expect((await planOf(own, { service: ["review"] })).unknown).toEqual([]);
  // The document belongs to a trusted service; only the list does not.
  const borrowed = repeated("metadata: { service: hosting }\n", ", service: second");
  expect(await problemsOf((url) => ({ ...second(url), "manifests/c.yaml": borrowed }))).toMatchObject([
    { code: "SP1023", place: { file: "manifests/c.yaml" } },
  ]);
  const product: Change = (url) => ({
    "setpoint.yaml": workspaceFile({
      ...rules.services(url),
      analysis: `{ type: github, url: "${url}/hosting", limits: { timeout: 2m } }`,
    }),
    "manifests/c.yaml": borrowed.replace("service: second", "service: analysis"),
  });
  expect(await problemsOf(product)).toMatchObject([{ code: "SP1023" }]);
  const honest = await openPull((url) => ({
    ...second(url),
    "manifests/c.yaml": borrowed.replace("service: second", "service: hosting"),
  }));
  expect(await honest.workspace.plan({ service: ["review"] })).toMatchObject({ is: "planned" });
  expect(new Set(honest.connected)).toEqual(new Set(["review"]));
});

test("drift and validate are judged by the merged rules too, and a live list is read from the trusted service", async () => {
  const repeated = `kind: ActionsPermission
forEach: { from: { operation: listOrganizationRepositories, org: meridian-kites, match: website } }
spec: { org: meridian-kites, repo: "\${each.name}", enabled: false }
`;
  const pull = await openPull((url) => ({
    "setpoint.yaml": workspaceFile({
      ...rules.services(url),
      hosting: '{ type: github, url: "http://127.0.0.1:1", limits: { timeout: 2m } }',
    }),
    "manifests/c.yaml": repeated,
  }));
  const planned = await pull.workspace.drift({ base: "main" });
  if (planned.is === "wrong") throw new ProblemError(...planned.problems);
  expect(addresses(planned.plan)).toContain("update hosting/ActionsPermission/meridian-kites/website");
  expect(said(planned.plan)?.map(([, path]) => path)).toEqual(["services.hosting.url"]);
  expect((await pull.workspace.validate()).trusted?.changes).toHaveLength(1);
});
