import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Desk, openDesk, workflows } from "../support/commands.ts";
import { commitAll } from "../support/git.ts";
import { problemsOf } from "../support/lab.ts";
import { document } from "../support/manifest.ts";

const address = "hosting/ActionsPermission/meridian-kites/website";

async function driftedDesk(manifests: string): Promise<Desk> {
  const desk = await openDesk(manifests);
  desk.sandbox.change(({ hosting }) => {
    for (const { name, actions } of hosting.repositories) if (name === "website") actions.enabled = false;
  });
  return desk;
}

function manifest({ path }: Desk): Promise<string> {
  return readFile(join(path, "manifests/all.yaml"), "utf8");
}

/** A day in the future, so that the tests pass whenever they run. */
function dayIn(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

test("ack writes an acknowledgement and sends nothing; drift then leaves the resource out and counts it", async () => {
  const text = workflows("website", true);
  await using desk = await driftedDesk(text);
  const until = dayIn(7);
  const words = ["ack", address, "--until", until, "--reason", "Under repair", "--by", "Ada Brandt"];
  const shown = await desk.run([...words, "--dry-run"]);
  expect(shown.out.replaceAll(until, "2027-01-20")).toMatchInlineSnapshot(`
    "--- a/manifests/all.yaml
    +++ b/manifests/all.yaml
    @@ -1,3 +1,8 @@
     ---
     kind: ActionsPermission
    +metadata:
    +  ignore:
    +    - until: 2027-01-20
    +      reason: Under repair
    +      by: Ada Brandt
     spec: { org: meridian-kites, repo: website, enabled: true }
    Nothing was written. To acknowledge: 1 resource until 2027-01-20, in 1 file.
    "
  `);
  expect(await manifest(desk)).toBe(text);
  const { code, out } = await desk.run(words);
  expect({ code, last: out.trimEnd().split("\n").at(-1) }).toEqual({
    code: 0,
    last: `Acknowledged 1 resource until ${until}, in 1 file.`,
  });
  expect(await desk.run(words)).toMatchObject({
    out: `Nothing was written: 1 resource already acknowledged like this until ${until}.\n`,
  });
  expect(JSON.parse((await desk.run([...words, "--json"])).out)).toMatchObject({ written: false, files: [] });
  expect(desk.sandbox.requests()).toEqual([]);
  const drift = await desk.run(["drift", "--all"]);
  expect(drift.out.replaceAll(until, "2027-01-20")).toMatchInlineSnapshot(`
    "hosting  http://sandbox.example/hosting                                                       1 read
      = ActionsPermission meridian-kites/website
          acknowledged enabled until 2027-01-20 by Ada Brandt: "Under repair"

    Everything is as desired or acknowledged: 0 resources, 1 read, 1 acknowledged until 2027-01-20.
    "
  `);
  expect(drift.code).toBe(0);
});

test("without --by the acknowledgement names git's user, or nobody if git knows none", async () => {
  await using desk = await driftedDesk(workflows("website", true));
  const request = { addresses: [address], acknowledgement: { until: dayIn(1), reason: "r" } };
  const env = { ...desk.env, GIT_AUTHOR_NAME: "", HOME: desk.path };
  expect(await desk.open({ env }).acknowledge(request)).toMatchObject({
    problems: [
      {
        code: "SP5001",
        message: expect.stringMatching(/^git does not know who acknowledges this: No git repository tracks /),
      },
    ],
  });
  commitAll(desk.path, "All");
  await desk.write(".gitconfig", "[user]\n\tname = Ada Brandt\n\temail = ada@example.com\n[include]\n\tpath = other\n");
  expect(await desk.open({ env }).acknowledge(request)).toMatchObject({
    files: [{ after: expect.stringContaining("by: Ada Brandt <ada@example.com>") }],
  });
});

// The command that drift offers has addresses, and an address can have an asterisk.
test("the address of a rule for a pattern of refs names that rule alone, in ack and in a plan", async () => {
  const rule = (ref: string) =>
    document("AccessRule", { project: "tools", ref, permission: "create", rules: [{ group: "Administrators" }] });
  await using desk = await openDesk(rule("refs/heads/*") + rule("refs/heads/x/*"));
  const named = "review/AccessRule/tools:refs/heads/*:create";
  const acknowledgement = { until: dayIn(1), reason: "r", by: "Ada" };
  const chosen = async (only: string) => {
    const done = await desk.open().acknowledge({ addresses: [only], acknowledgement });
    const planned = await desk.open().plan({ only: [only] });
    return [
      done.is === "acknowledged" ? done.addresses : done.problems,
      planned.is === "planned" ? planned.plan.changes.map((change) => change.address) : planned.problems,
    ];
  };
  expect(await chosen(named)).toEqual([[named], [named]]);
  const both = [named, "review/AccessRule/tools:refs/heads/x/*:create"];
  expect(await chosen("review/AccessRule/tools:refs/heads/*")).toEqual([both, both]);
});

test("ack rejects invalid arguments and writes nothing", async () => {
  const text = workflows("website", true);
  await using desk = await driftedDesk(text);
  const given = { until: dayIn(1), reason: "r", by: "Ada" };
  const refused = async (addresses: readonly string[], more: object = {}) => {
    const done = await desk.open().acknowledge({ addresses, acknowledgement: { ...given, ...more } });
    return done.is === "wrong" ? done.problems : [];
  };
  expect(await refused(["hosting/Nothing/x"])).toMatchObject([{ code: "SP1018" }]);
  expect(await refused([address], { fields: ["enable"] })).toMatchObject([
    { code: "SP1004", message: 'ActionsPermission has no field "enable" to acknowledge. Did you mean "enabled"?' },
  ]);
  expect(await refused([address], { until: dayIn(-1) })).toMatchObject([{ code: "SP5001" }]);
  expect(await refused([address], { until: dayIn(367) })).toMatchObject([{ code: "SP5001" }]);
  expect(await refused([address], { until: dayIn(0) })).toEqual([]);
  await desk.write(
    "manifests/all.yaml",
    `kind: ActionsPermission
forEach: [website]
spec: { org: meridian-kites, repo: "\${each}", enabled: true }
`,
  );
  expect(await refused([address])).toMatchObject([{ code: "SP1020", address, place: { file: "manifests/all.yaml" } }]);
});

test("a file that has changed in the meantime is not written", async () => {
  await using desk = await driftedDesk(workflows("website", true));
  const acknowledgement = { until: dayIn(1), reason: "r", by: "Ada" };
  const done = await desk.open().acknowledge({ addresses: [address], acknowledgement });
  await desk.write("manifests/all.yaml", workflows("website", false));
  expect(done.is === "wrong" ? [] : await problemsOf(done.write())).toMatchObject([{ code: "SP4003" }]);
  expect(await manifest(desk)).toBe(workflows("website", false));
});

test("adopt takes the live value of an acknowledged resource only if its address is given", async () => {
  await using desk = await driftedDesk(
    workflows("website", true).replace(
      "spec:",
      `metadata: { ignore: [{ fields: [enabled], until: ${dayIn(1)}, reason: r }] }\nspec:`,
    ),
  );
  expect(await desk.open().adopt()).toMatchObject({ adoption: { adopted: [], refusals: [] } });
  expect(await desk.open().adopt({ only: [address] })).toMatchObject({
    adoption: { adopted: [{ address, fields: ["enabled"] }], refusals: [] },
  });
});
