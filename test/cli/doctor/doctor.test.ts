import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { CheckResult } from "../../../src/clients/check.ts";
import { systemClock } from "../../../src/clients/http/clock.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Examined } from "../../../src/engine/doctor/examine.ts";
import { defaultWorld } from "../../../src/sandbox/default-world.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../../src/sandbox/server/environment.ts";
import { openWorkspace } from "../../../src/setpoint.ts";
import { sandboxForTest } from "../../sandbox/asking.ts";
import { lock, openDesk, setpoint, workflows } from "../../support/commands.ts";
import { document } from "../../support/manifest.ts";
import { roles } from "../../support/roles.ts";
import { workspaceFolder } from "../workspace-folder.ts";

const seven = ["artifacts", "hosting", "review", "ci", "analysis", "tracker", "wiki"] as const;
const { path: folder, remove } = workspaceFolder(seven);
const documentedFolder = workspaceFolder(seven, "documented");
afterAll(() => {
  remove();
  documentedFolder.remove();
});

async function doctor(
  sandbox: Sandbox,
  args: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
) {
  const { code, out } = await setpoint(["doctor", "--var", `url=${sandbox.url}`, ...args], {
    cwd: folder,
    env: { ...environmentFor(sandbox.url), ...env },
  });
  return { code, out: out.replaceAll(sandbox.url, "http://sandbox.example") };
}

/** The findings, by service, of an examination in this process. */
async function examined(
  sandbox: Sandbox,
  env: Readonly<Record<string, string | undefined>> = {},
  path = folder,
): Promise<readonly Examined[]> {
  const all = { ...environmentFor(sandbox.url), ...env };
  const diagnosis = await openWorkspace({ path, variables: { url: sandbox.url }, env: all }).doctor();
  if (diagnosis.is === "wrong") throw new ProblemError(...diagnosis.problems);
  return diagnosis.services;
}

test("every service reports who we are and how it is, without a write", async () => {
  const world = defaultWorld();
  const sandbox = await sandboxForTest({ world });
  const { code, out } = await doctor(sandbox);
  expect(out).toMatchInlineSnapshot(`
    "artifacts  http://sandbox.example/artifacts
      ✓ reachable  answers
      ✓ account    signed in, sees 6 repositories
      ✓ version    7.98.9, supported since 7.21.1
      ✓ storage    87 bytes (0.00%) of 500.00 GB used, 500.00 GB (100.00%) free

    hosting  http://sandbox.example/hosting
      ✓ reachable  answers
      ✓ account    signed in as admin
      ✓ version    the hosted service, which reports no version
      ✓ quota      5,000 of 5,000 requests left until 2100-01-01 00:00 UTC
      ✓ host keys  ssh-ed25519 SHA256:wSuT0Cpyct1/bOAK9pRZRWJdMcnOss4TfEBvDRaLhjo

    review  http://sandbox.example/review
      ✓ reachable  answers
      ✓ account    signed in as admin
      ✓ version    3.10.4, supported since 2.14

    ci  http://sandbox.example/ci
      ✓ reachable  answers
      ✓ account    signed in as admin
      ✓ version    2.479.3, supported since 2.98
      ✓ newest     2.479.3 is the newest stable version

    analysis  http://sandbox.example/analysis
      ✓ reachable  answers
      ✓ account    signed in as admin
      ✓ version    24.1
      ✓ licences   1 of server, 25 of desktop for 90 days

    tracker  http://sandbox.example/tracker
      ✓ reachable  answers
      ✓ account    signed in as admin
      ✓ version    9.12.15, supported since 7.0

    wiki  http://sandbox.example/wiki
      ✓ reachable  answers
      ✓ account    signed in as admin
      ✓ version    8.5.17, supported since 5.5

    7 services, 26 findings: 0 wrong, 0 unknown.
    "
  `);
  expect(code).toBe(0);
  expect(sandbox.state()).toEqual(world);
});

test("--json reports the same findings", async () => {
  const sandbox = await sandboxForTest();
  const { code, out } = await doctor(sandbox, ["--json"], { SETPOINT_WIKI_PASSWORD: "wrong" });
  const { version, services }: Examination = JSON.parse(out);
  expect({ code, version }).toEqual({ code: 1, version: 1 });
  expect(services.find(({ role }) => role === "wiki")).toEqual({
    name: "wiki",
    role: "wiki",
    url: "http://sandbox.example/wiki",
    findings: [
      { check: "reachable", result: "ok", says: "answers" },
      {
        check: "account",
        result: "wrong",
        says: expect.stringContaining("401"),
        code: "SP3003",
        hint: expect.stringContaining("Check SETPOINT_WIKI_USERNAME and SETPOINT_WIKI_PASSWORD"),
      },
    ],
  });
  expect(services).toHaveLength(seven.length);
});

test("no service of the sandbox has anything wrong", async () => {
  const every = workspaceFolder(roles);
  onTestFinished(every.remove);
  const services = await examined(await sandboxForTest(), {}, every.path);
  expect(services.map(({ role }) => role)).toEqual(roles);
  expect(services.flatMap(({ findings }) => findings.filter(({ result }) => result === "wrong"))).toEqual([]);
});

interface Examination {
  readonly version: number;
  readonly services: readonly { readonly role: string; readonly findings: readonly CheckResult[] }[];
}

const isUnknown = ({ result }: CheckResult) => result === "unknown";

describe("doctor says what to do and examines the other services, given", () => {
  test("a service that does not answer", async () => {
    const sandbox = await sandboxForTest();
    const { code, out } = await doctor(
      sandbox,
      ["--var", "url=http://127.0.0.1:1"],
      environmentFor("http://127.0.0.1:1"),
    );
    expect(code).toBe(1);
    expect(out).toContain("✗ reachable  No connection to http://127.0.0.1:1 (ECONNREFUSED). (SP3102)");
    expect(out).toContain("7 services, 7 findings: 7 wrong, 0 unknown.");
  });

  test("credentials that are missing or bound to another origin, so that nothing is sent", async () => {
    const sandbox = await sandboxForTest();
    const services = await examined(sandbox, {
      SETPOINT_TRACKER_PASSWORD: undefined,
      SETPOINT_WIKI_URL: "https://elsewhere.example",
    });
    const findings = (name: string) => services.find(({ role }) => role === name)?.findings;
    expect(findings("tracker")).toMatchObject([{ check: "account", result: "wrong", code: "SP3001" }]);
    expect(findings("wiki")).toMatchObject([{ check: "account", result: "wrong", code: "SP3002" }]);
    const asked = sandbox.requests().map(({ service }) => service);
    expect(asked).toContain("review");
    expect(asked.filter((name) => name === "tracker" || name === "wiki")).toEqual([]);
  });

  test("missing credentials of a token service at another origin", async () => {
    const sandbox = await sandboxForTest();
    await using desk = await openDesk("", {
      settings: `  artifacts: { type: artifactory, url: "${sandbox.url}/artifacts", urls: { auth: "https://tokens.example" } }\n`,
    });
    const env = { ...desk.env, SETPOINT_ARTIFACTS_URL: sandbox.url };
    const found = async (more: Readonly<Record<string, string>>) => {
      const diagnosis = await desk.open({ env: { ...env, ...more } }).doctor();
      if (diagnosis.is === "wrong") throw new ProblemError(...diagnosis.problems);
      return diagnosis.services
        .find(({ name }) => name === "artifacts")
        ?.findings.filter(({ check }) => check === "auth");
    };
    expect(await found({})).toMatchObject([
      { result: "wrong", code: "SP3001", hint: expect.stringContaining("SETPOINT_ARTIFACTS_AUTH_URL") },
    ]);
    const bound = { SETPOINT_ARTIFACTS_AUTH_URL: "https://tokens.example", SETPOINT_ARTIFACTS_AUTH_TOKEN: "t" };
    expect(await found(bound)).toEqual([]);
  });

  test("a token with several generations of which all but one have expired", async () => {
    await using desk = await openDesk(document("PersonalToken", { description: "deploy" }, { service: "wiki" }));
    const end = Date.now() + 86_400_000;
    desk.sandbox.change(({ wiki }) => {
      const token = { user: "admin", created: 1, lastAccessed: 0, scope: 0 };
      wiki.tokenPlugin.tokens = [
        { ...token, id: 1, description: "deploy", validUntil: end, secret: "old" },
        { ...token, id: 2, description: "deploy (2)", validUntil: end * 2, secret: "new" },
      ];
    });
    const readable = async (now: number) => {
      const diagnosis = await desk.open({ clock: { ...systemClock, now: () => now }, readings: false }).doctor();
      if (diagnosis.is === "wrong") throw new ProblemError(...diagnosis.problems);
      const { findings = [] } = diagnosis.services.find(({ name }) => name === "wiki") ?? {};
      return findings.filter(({ check }) => check === "resources");
    };
    expect(await readable(end - 1)).toMatchObject([{ result: "wrong", code: "SP3010" }]);
    expect(await readable(end)).toMatchObject([{ result: "ok" }]);
  });

  test("a quota that begins anew at no time that a calendar has", async () => {
    const sandbox = await sandboxForTest();
    sandbox.change((world) => {
      world.hosting.rateLimit.reset = 1e14;
    });
    const { out } = await doctor(sandbox);
    expect(out).toMatch(/quota .*something else: resources[.]core[.]reset is too large/);
    expect(out).toContain("wiki");
  });

  test("a quota that is nearly used up", async () => {
    const sandbox = await sandboxForTest();
    sandbox.change(({ hosting }) => {
      hosting.rateLimit.used = 4800;
    });
    expect((await doctor(sandbox)).out).toMatch(/✗ quota +200 of 5,000 requests left until 2100-01-01 00:00 UTC/);
  });

  test("permissions that the declared kinds need and the account lacks", async () => {
    await using desk = await openDesk(`${lock("platform/ui", "release-2.4")}${workflows("website", true)}`);
    const { code, out } = await desk.run(["doctor"], {
      SETPOINT_REVIEW_USERNAME: "jdoe",
      SETPOINT_REVIEW_PASSWORD: "jdoe-secret",
    });
    expect(code).toBe(1);
    expect(out).toContain("✗ ownership  not an owner of platform/ui: cannot write access rules");
    expect(out.replace(/\s+/g, " ")).toContain(
      "0 of 1 declared can be read; review/BranchLock/platform/ui:release-2.4: The account may not read the access rules",
    );
    expect(out).toContain("✓ resources  1 of 1 declared can be read");
  });

  test("a proxy that blocks an encoded slash, as writes would meet it", async () => {
    await using desk = await openDesk(`${lock("platform/ui", "main")}${lock("platform/core", "main")}`);
    await desk.run(["doctor"]);
    const paths = desk.sandbox.requests().map(({ path }) => path);
    expect(paths.filter((path) => /^\/a\/projects\/platform%2F[a-z]+\/config$/.test(path))).toHaveLength(1);
  });

  test("versions older than setpoint needs", async () => {
    const sandbox = await sandboxForTest();
    sandbox.change((world) => {
      world.artifacts.version = "7.4.3";
      world.hosting.version = "3.8.12";
      world.review.version = "2.13.9";
      world.ci.version = "2.89.4";
      world.tracker.version = "6.4.14";
      world.wiki.version = "5.4.4";
    });
    const services = await examined(sandbox);
    const wrong = services.flatMap(({ findings }) => findings.filter(({ result }) => result === "wrong"));
    expect(wrong.map(({ check, says }) => `${check}: ${says}`)).toEqual([
      "version: 7.4.3 is older than 7.21.1",
      "version: 3.8.12 is older than 3.9",
      "version: 2.13.9 is older than 2.14",
      "version: 2.89.4 is older than 2.98",
      "version: 6.4.14 is older than 7.0",
      "version: 5.4.4 is older than 5.5",
    ]);
    expect(wrong[3]?.hint).toBe(
      "Upgrade to 2.98 or newer: since then, scripts can look up the server by the name that setpoint uses.",
    );
  });

  test("what the account cannot see and does not need is unknown, not wrong", async () => {
    const sandbox = await sandboxForTest();
    const { code, out } = await doctor(sandbox, [], {
      SETPOINT_ARTIFACTS_USERNAME: "jdoe",
      SETPOINT_ARTIFACTS_TOKEN: "jdoe-secret",
    });
    expect(out).toMatch(/\? storage +The service answered 403/);
    expect(code).toBe(0);
  });

  test("under wire: documented, a version that no documented operation reports is unknown and nothing is wrong", async () => {
    const sandbox = await sandboxForTest();
    const services = await examined(sandbox, {}, documentedFolder.path);
    const untold = services.filter(({ findings }) => findings.some(isUnknown)).map(({ role }) => role);
    expect(untold).toEqual(["artifacts", "review", "ci", "tracker", "wiki"]);
    expect(services.flatMap(({ findings }) => findings.filter(({ result }) => result === "wrong"))).toEqual([]);
    expect(services.flatMap(({ findings }) => findings.filter(isUnknown))).toMatchObject(
      untold.map(() => ({ check: "version", code: "SP3007" })),
    );
  });

  test("errors in manifests are counted", async () => {
    await using desk = await openDesk("kind: Nothing\nspec: {}\n");
    const { code, out } = await desk.run(["doctor"]);
    expect(out).toContain("The manifests have 1 error: setpoint validate shows them.");
    expect(code).toBe(1);
    expect(JSON.parse((await desk.run(["doctor", "--json"])).out)).toMatchObject({ version: 1, errors: 1 });
  });
});
