import { describe, expect, test } from "vitest";
import { type Lab, openLab, problemsOf } from "../../../support/lab.ts";
import { document } from "../../../support/manifest.ts";

const job = "nightly-checks";
const off = "<project>\n  <description>Runs the long checks.</description>\n  <disabled>true</disabled>\n</project>";

function config(text: string, name = job): string {
  return document("JobConfig", { job: name, config: text });
}

function configOf({ sandbox }: Lab, name = job) {
  return sandbox.state().ci.jobs[name]?.config;
}

/** Gives a job this configuration; a job that does not exist is created like another. */
function store({ sandbox }: Lab, text: string, name = job): void {
  sandbox.change(({ ci }) => {
    const like = ci.jobs[job];
    if (like !== undefined) ci.jobs[name] = { ...like, config: text };
  });
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

describe("JobConfig", () => {
  test("replaces the configuration of a job by a file beside the manifest", async () => {
    await using lab = await openLab();
    const pipeline = off.replaceAll("project>", "flow-definition>");
    const manifests = {
      now: document("JobConfig", { job: "firmware/bootloader", file: "jobs/boot.xml" }),
      files: { "manifests/jobs/boot.xml": pipeline },
    };
    const report = await lab.apply(manifests);
    expect(report.outcomes).toEqual([{ address: "ci/JobConfig/firmware/bootloader", result: "applied" }]);
    expect(configOf(lab, "firmware/bootloader")).toBe(`<?xml version="1.0" encoding="UTF-8"?>${pipeline}`);
    expect((await lab.plan(manifests)).changes).toEqual([]);
  });

  test("two jobs in a folder can differ in case alone; at the top they are the same job", async () => {
    await using lab = await openLab();
    store(lab, off, "firmware/Bootloader");
    const plan = await lab.plan(config(off, "firmware/Bootloader") + config(off, "firmware/bootloader"));
    expect([plan.inSync, plan.changes.map(({ key }) => key)]).toMatchObject([[{}], ["firmware/bootloader"]]);
    const same = config(off, "Firmware/bootloader") + config(off, "firmware/bootloader");
    expect(await problemsOf(lab.plan(same))).toMatchObject([{ code: "SP1016" }]);
  });

  test("budget: one read and one write per job, and one read to verify", async () => {
    await using lab = await openLab();
    expect(results(await lab.apply(config(off)))).toEqual(["applied"]);
    expect(lab.asked()).toEqual(["getJobConfig", "getCrumb", "updateJobConfig", "getJobConfig"]);
    expect((await lab.plan(config(off))).changes).toEqual([]);
    expect(lab.asked()).toEqual(["getJobConfig"]);
  });

  test("sends a document with control characters as XML 1.1: the server refuses them in any other", async () => {
    await using lab = await openLab();
    const red = "<project><command>echo '&#27;[31m'</command></project>";
    expect(results(await lab.apply(config(red)))).toEqual(["applied"]);
    expect(configOf(lab)).toMatch(/^<\?xml version="1\.1" encoding="UTF-8"\?><project>[\s\S]*&#27;/);
    expect((await lab.plan(config(red))).changes).toEqual([]);
  });

  test("ignores another spelling of the same document", async () => {
    await using lab = await openLab();
    store(lab, `<?xml version='1.1'?><p plugin="git@5.6" b='2' a="1"><x/></p>`);
    expect((await lab.plan(config(`<!-- ours --><p a="1" b="2">\n  <x></x>\n</p>\n`))).changes).toEqual([]);
  });

  test("ignores the order in which the server rewrites fields, but not a changed field", async () => {
    await using lab = await openLab();
    const ours = "<project><disabled>true</disabled><canRoam>true</canRoam><description>x</description></project>";
    store(
      lab,
      "<project><description>x</description><properties/><canRoam>true</canRoam><disabled>true</disabled></project>",
    );
    expect((await lab.plan(config(ours))).changes).toEqual([]);
    expect((await lab.plan(config(ours.replace(">x<", ">y<")))).changes).toMatchObject([{ action: "update" }]);
  });

  test("a minimal document equals the full one that the server turns it into at the next save", async () => {
    await using lab = await openLab();
    await lab.apply(config(off));
    const full = off.replace("</project>", "<builders/><canRoam>false</canRoam></project>");
    store(lab, full);
    expect((await lab.plan(config(off))).changes).toEqual([]);
    store(lab, full.replace("<builders/>", "<builders><hudson.tasks.Shell/></builders>"));
    expect((await lab.plan(config(off))).changes).toMatchObject([
      {
        action: "update",
        fields: [
          { live: off.replace("</project>", "  <builders>\n    <hudson.tasks.Shell/>\n  </builders>\n</project>") },
        ],
      },
    ]);
  });

  test("ignores what builds record in a job's actions, whatever the manifest has there", async () => {
    await using lab = await openLab();
    const pipeline = "org.jenkinsci.plugins.pipeline.modeldefinition.actions";
    const actions = `<actions><${pipeline}.DeclarativeJobAction plugin="pipeline-model-definition@2"/></actions>`;
    const ran = off.replace("<project>", `<project>${actions}`);
    store(lab, ran);
    expect((await lab.plan(config(off))).changes).toEqual([]);
    expect((await lab.plan(config(off.replace("<project>", "<project><actions/>")))).changes).toEqual([]);
    store(lab, off);
    expect((await lab.plan(config(ran))).changes).toEqual([]);
  });

  test("shows a difference line by line, with both sides in one spelling", async () => {
    await using lab = await openLab();
    const { changes } = await lab.plan(config(off.replaceAll("\n", "")));
    expect(changes).toMatchObject([
      { action: "update", fields: [{ path: ["config"], live: off.replace("true", "false"), desired: off }] },
    ]);
  });

  test("under wire: documented, a difference needs a person, while a job in sync does not", async () => {
    await using lab = await openLab({ wire: "documented" });
    const report = await lab.apply(config(off));
    expect(report.plan.changes).toMatchObject([
      { action: "check", instruction: expect.stringContaining("updateJobConfig"), fields: [{ path: ["config"] }] },
    ]);
    expect([report.plan.calls, report.outcomes]).toEqual([[], []]);
    expect(lab.asked()).toEqual(["getJobConfig"]);
    expect((await lab.plan(config(off.replace("true", "false")))).changes).toEqual([]);
  });

  test("a job that does not exist needs a person", async () => {
    await using lab = await openLab();
    const plan = await lab.plan(config(off, "nowhere/at all"));
    expect(plan.changes).toMatchObject([
      { action: "check", instruction: expect.stringMatching(/^Create the job nowhere\/at all manually/) },
    ]);
    expect(plan.calls).toEqual([]);
  });

  test("another type of job needs a person, unless its class could be another name for the same one", async () => {
    await using lab = await openLab();
    const { changes } = await lab.plan(config("<flow-definition/>"));
    expect(changes).toMatchObject([
      {
        action: "check",
        instruction: expect.stringMatching(/it is a <project>, and the manifest has a <flow-definition>/),
      },
    ]);
    expect((await lab.plan(config("<hudson.model.FreeStyleProject/>"))).changes).toMatchObject([{ action: "update" }]);
  });

  test("reports which side changed: the manifest, the service or both", async () => {
    await using lab = await openLab();
    const live = configOf(lab) ?? "";
    const verdict = async (base: string) =>
      (await lab.plan({ now: config(off), base: config(base) })).changes.map((change) => change.verdict);
    expect(await verdict(live)).toEqual(["pending"]);
    expect(await verdict(off)).toEqual(["drift"]);
    expect(await verdict("<project/>")).toEqual(["conflict"]);
  });

  test("finds a job whose name has special characters, and sends its text unchanged", async () => {
    await using lab = await openLab();
    const name = "ü%2F #/b?c&d";
    store(lab, "<project/>", name);
    const text = "<project><script>echo &quot;ü&quot; &amp;&amp; ${'x'} 日本\n\techo</script></project>";
    const stated = text.replace("$", () => "$$");
    expect(results(await lab.apply(config(stated, name)))).toEqual(["applied"]);
    expect((await lab.plan(config(stated, name))).changes).toEqual([]);
  });

  test("ignores case in job names: two resources of one job are an error", async () => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(config(off) + config(off, "Nightly-Checks")))).toMatchObject([{ code: "SP1016" }]);
  });

  test("a file that is not XML is an error at its place", async () => {
    await using lab = await openLab();
    const now = document("JobConfig", { job, file: "boot.xml" });
    expect(await problemsOf(lab.plan({ now, files: { "manifests/boot.xml": "<project>" } }))).toMatchObject([
      {
        code: "SP1002",
        message: "boot.xml: expected an XML document; line 1, column 1: <project> is never closed.",
        place: { line: 2 },
      },
    ]);
    expect(await problemsOf(lab.plan({ now }))).toMatchObject([{ code: "SP1017" }]);
    expect(await problemsOf(lab.plan(config("<a>")))).toMatchObject([{ code: "SP1002" }]);
  });

  test("either a file or a text must be stated", async () => {
    await using lab = await openLab();
    const mistake = [{ code: "SP1002", message: expect.stringContaining("either file or config") }];
    expect(await problemsOf(lab.plan(document("JobConfig", { job })))).toMatchObject(mistake);
    const both = document("JobConfig", { job, config: off, file: "x.xml" });
    expect(await problemsOf(lab.plan(both))).toMatchObject(mistake);
  });

  test.each([
    ["jdoe", "jdoe-secret", "SP3004"],
    ["admin", "wrong", "SP3003"],
  ])("a job whose configuration %s may not see is unknown", async (username, secret, code) => {
    await using lab = await openLab({ as: { username, secret } });
    const plan = await lab.plan(config(off));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual([code]);
  });

  test("a secret that the server hides from the account makes only that job unknown", async () => {
    const secret = off.replace("</project>", "<token>{AQAAABAAAAAQ+/x=}</token></project>");
    await using lab = await openLab({ as: { username: "auditor", secret: "auditor-secret" } });
    store(lab, secret);
    const { changes, unknown } = await lab.plan(config(secret));
    expect([changes, unknown]).toMatchObject([[], [{ address: `ci/JobConfig/${job}`, problem: { code: "SP3004" } }]]);
    const stars = off.replace("</project>", "<token>********</token></project>");
    store(lab, stars);
    expect((await lab.plan(config(stars))).inSync).toHaveLength(1);
  });

  test("a document with hidden secrets does not replace the real ones", async () => {
    const secret = off.replace("</project>", "<token>{AQAAABAAAAAQ+/x=}</token></project>");
    await using lab = await openLab();
    store(lab, secret);
    const report = await lab.apply(config(secret.replace(/\{.*\}/, "********")));
    expect(report.plan.changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("********") }]);
    expect(configOf(lab)).toBe(secret);
  });

  test("a configuration that is not XML is unknown", async () => {
    await using lab = await openLab();
    store(lab, "<project>");
    expect((await lab.plan(config(off))).unknown.map(({ problem }) => problem.code)).toEqual(["SP3103"]);
  });

  test("what makes many jobs unknown has one message, so that a report names it once", async () => {
    const secret = off.replace("</project>", "<token>{AQAAABAAAAAQ+/x=}</token></project>");
    await using lab = await openLab({ as: { username: "auditor", secret: "auditor-secret" } });
    for (const [text, code] of [[secret, "SP3004"] as const, ["{}", "SP3103"] as const]) {
      const names = [job, "firmware/bootloader"];
      for (const name of names) store(lab, text, name);
      const { unknown } = await lab.plan(names.map((name) => config(secret, name)).join(""));
      expect(unknown.map(({ problem }) => problem)).toMatchObject([{ code }, { code }]);
      expect(new Set(unknown.map(({ problem }) => problem.message)).size).toBe(1);
    }
  });

  test("an account without write access gets a failed outcome that names the missing permission", async () => {
    await using lab = await openLab({ as: { username: "auditor", secret: "auditor-secret" } });
    const report = await lab.apply(config(off));
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
  });
});
