import { expect, test } from "vitest";
import { readFragment, type XmlNode } from "../../src/core/text/xml.ts";
import { wikiPublisher } from "../../src/publishers/wiki.ts";
import { fullPlan } from "../reports/fixture.ts";
import { fullReport } from "../reports/report-fixture.ts";
import { workspaceText } from "../support/commands.ts";
import { hostilePlan, hostileReport } from "../support/hostile-plan.ts";
import { problemsOf } from "../support/lab.ts";
import { made, openPress, type Press } from "./press.ts";

const wiki = { as: "wiki", page: "48100" } as const;
const drift = { command: "drift" } as const;
const calm = { ...fullPlan, changes: [], unknown: [] };

function page({ desk }: Press, id = "48100") {
  const { title, ancestors, space, body, versions } = desk.sandbox.state().wiki.pages[id] ?? { body: "" };
  return { title, ancestors, space, body, version: versions?.at(-1) };
}

test("the page is written, left alone while it is current, and then replaced", async () => {
  await using press = await openPress();
  const before = page(press);
  expect(await press.publish(wiki, made(fullPlan), drift)).toMatchObject({ writes: ["updatePage"], problems: [] });
  const { body, version, ...rest } = page(press);
  expect([rest, version]).toMatchObject([
    { title: before.title, ancestors: before.ancestors, space: before.space },
    { number: 2, minorEdit: true, message: expect.stringMatching(/^setpoint-report:[0-9a-f]{12} drift$/) },
  ]);
  expect(body).toContain("From the run of 2027-01-14 02:00 UTC.");
  expect(body).toContain("<h2>What happened to the services</h2>");
  const later = { ...drift, at: "2027-01-15T02:00:00.000Z" };
  expect(await press.publish(wiki, made(fullPlan, later.at), later)).toMatchObject({ writes: [], problems: [] });
  expect((await press.publish(wiki, made(calm), later)).writes).toEqual(["updatePage"]);
  expect(page(press).body).toContain("From the run of 2027-01-15 02:00 UTC.");
});

test("a page is current if a token was only used since, and shows when it was used", async () => {
  await using press = await openPress();
  const [change] = fullPlan.changes;
  if (change === undefined) throw new Error("no change");
  const usedAt = (at: string) => made({ ...calm, changes: [{ ...change, events: [{ what: "used", at }] }] });
  expect((await press.publish(wiki, usedAt("2027-01-13T08:00:00.000Z"), drift)).writes).toEqual(["updatePage"]);
  expect(page(press).body).toContain("last used 2027-01-13 08:00 UTC");
  expect((await press.publish(wiki, usedAt("2027-01-14T08:00:00.000Z"), drift)).writes).toEqual([]);
});

test("a plan's page separates what this change does from what had drifted before", async () => {
  await using press = await openPress();
  await press.publish({ ...wiki, page: "48377" }, made(fullPlan));
  const { body, ancestors } = page(press, "48377");
  expect(ancestors).toEqual(["48100"]);
  const [, does = "", drifted = ""] = body.split(/<h2>(?:What this change does|What had drifted before)<\/h2>/);
  expect(does).toContain("review/BranchLock/platform/core:release-2.4");
  expect(drifted).toContain("hosting/HostKeys/hosting");
  expect(does).not.toContain("hosting/HostKeys/hosting");
});

test("without a base, a plan's page does not say which side changed", async () => {
  await using press = await openPress();
  const { base: _base, ...plan } = fullPlan;
  await press.publish(wiki, made(plan));
  expect(page(press).body).toContain("<h2>What an apply would do</h2>");
  expect(page(press).body).not.toContain("this change");
});

test("a page that someone has edited is restored", async () => {
  await using press = await openPress();
  await press.publish(wiki, made(calm), drift);
  press.desk.sandbox.change((world) => {
    const edited = world.wiki.pages["48100"];
    edited?.versions.push({ number: 3, by: "jdoe", message: "", minorEdit: false });
    if (edited !== undefined) edited.body = "<p>Mine.</p>";
  });
  expect((await press.publish(wiki, made(calm), drift)).writes).toEqual(["updatePage"]);
  expect(page(press).body).toContain("Nothing to do");
});

test("a page that a manifest declares is not written, whatever the run was narrowed to", async () => {
  await using press = await openPress({ manifests: 'kind: WikiPage\nspec: { id: "48100", title: Engineering }\n' });
  const declared = await press.publish(wiki, made(calm), drift);
  expect(declared).toMatchObject({
    reads: [],
    writes: [],
    problems: [{ code: "SP1016", address: "wiki/WikiPage/48100" }],
  });
  const planned = await press.publish({ ...wiki, page: "48213" }, made(fullPlan), drift);
  expect(planned).toMatchObject({ writes: [], problems: [{ code: "SP1016", address: "wiki/WikiPage/48213" }] });
});

test("a page that is declared under another name of the same server is not written either", async () => {
  const page = 'kind: WikiPage\nmetadata: { service: mirror }\nspec: { id: "48100", title: Engineering }\n';
  await using press = await openPress({ manifests: page });
  const { url } = press.desk.sandbox;
  await press.desk.write("setpoint.yaml", `${workspaceText(url)}  mirror: { type: confluence, url: "${url}/wiki" }\n`);
  const { writes, problems } = await press.publish({ ...wiki, service: "wiki" }, made(calm), drift);
  expect([writes, problems]).toMatchObject([[], [{ code: "SP1016", address: "mirror/WikiPage/48100" }]]);
});

test("what is not a page, such as a blog post, is not written", async () => {
  const call = async () => ({
    id: "48100",
    type: "blogpost",
    title: "News",
    space: { key: "ENG" },
    version: { number: 1 },
  });
  const door = { services: [], username: undefined, isDeclared: async () => false, call };
  const edition = { command: "drift", name: "", prefix: "", at: "", facts: {} } as const;
  expect(await problemsOf(wikiPublisher(edition, "48100").publish(door, made(calm)))).toMatchObject([
    { code: "SP1016", message: "48100 is a blogpost, not a page." },
  ]);
});

test("two workspaces do not take a page from each other", async () => {
  await using press = await openPress();
  await press.publish(wiki, made(calm), { ...drift, name: "teams/a" });
  const { writes, problems } = await press.publish(wiki, made(fullPlan), { ...drift, name: "teams/b" });
  expect([writes, problems]).toMatchObject([
    [],
    [{ code: "SP1016", message: expect.stringContaining('"drift (teams/a)"') }],
  ]);
});

test("a run with a name that the wiki cuts recognises its own report", async () => {
  await using press = await openPress();
  const long = { ...drift, name: "teams/a".repeat(40) };
  expect((await press.publish(wiki, made(calm), long)).writes).toEqual(["updatePage"]);
  expect(await press.publish(wiki, made(calm), long)).toMatchObject({ writes: [], problems: [] });
});

test("a name is not cut within a character: a server that replaces the half would state another run", async () => {
  await using press = await openPress();
  await press.publish(wiki, made(calm), { ...drift, name: `${"x".repeat(218)}🪁` });
  expect(page(press).version?.message).toMatch(/^setpoint-report:\w{12} drift \(x{218}$/);
});

test("an account that may not edit and a missing page are reported", async () => {
  await using press = await openPress({ as: { username: "auditor", secret: "auditor-secret" } });
  expect((await press.publish(wiki, made(calm), drift)).problems).toMatchObject([
    { code: "SP3004", hint: expect.stringContaining("permission to edit the page") },
  ]);
  expect((await press.publish({ ...wiki, page: "9" }, made(calm), drift)).problems).toMatchObject([{ code: "SP3005" }]);
});

test("a page with 2,000 changes can be opened, and says how many it leaves out", async () => {
  await using press = await openPress();
  const [change] = fullPlan.changes;
  if (change === undefined) throw new Error("no change");
  const fields = Array.from({ length: 50 }, (_none, index) => ({
    path: [`f${index}`],
    live: "x".repeat(1000),
    desired: "y",
    verdict: "pending" as const,
  }));
  const changes = Array.from({ length: 2_000 }, (_none, index) => ({ ...change, address: `a/B/${index}`, fields }));
  await press.publish(wiki, made({ ...calm, changes }), drift);
  const { body } = page(press);
  expect(body.length).toBeLessThan(3_000_000);
  expect(body).toContain("… and 30 more fields.");
  expect(body).toContain("<p>… and 1,700 more.</p>");
});

test("hostile names appear as text, and secrets as dots", async () => {
  await using press = await openPress();
  const subjects = [
    { plan: hostilePlan() },
    { plan: hostilePlan(), report: hostileReport() },
    { plan: fullPlan, report: fullReport },
  ];
  for (const subject of subjects) {
    const name = '<script>alert(1)</script> ]]> "';
    const edition = { name, facts: { link: "https://ci.example/?a=1&b=<2>" } };
    expect(await press.publish(wiki, { is: "made", subject }, edition)).toMatchObject({ problems: [] });
    const reading = readFragment(page(press).body);
    if (reading.is === "malformed") throw new Error(reading.mistake);
    expect(namesIn(reading.root.children)).toEqual(
      new Set(
        ["h1", "h2", "p", "strong", "a", "ul", "li", "table", "tbody", "tr", "th", "td", "code"].filter(
          isIn(page(press).body),
        ),
      ),
    );
  }
  expect(page(press).body).toContain("•••");
  expect(page(press).body).not.toContain("BOT_PASSWORD");
});

function isIn(body: string): (name: string) => boolean {
  return (name) => body.includes(`<${name}>`) || body.includes(`<${name} `);
}

function namesIn(nodes: readonly XmlNode[]): ReadonlySet<string> {
  return new Set(nodes.flatMap((node) => (node.is === "element" ? [node.name, ...namesIn(node.children)] : [])));
}
