import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Plan } from "../../../src/core/run/plan.ts";
import { fullPlan, refusals } from "../../reports/fixture.ts";
import { fullReport } from "../../reports/report-fixture.ts";
import { openReader, patience, type Reader } from "../../support/browser.ts";
import { hostilePlan, hostileReport } from "../../support/hostile-plan.ts";
import { largePlan } from "../../support/large-plan.ts";
import { type Tour, takeTour } from "../../support/tour.ts";

let reader: Reader;
let tour: Tour;
beforeAll(async () => {
  [reader, tour] = await Promise.all([openReader(), takeTour()]);
});
afterAll(() => reader[Symbol.asyncDispose]());

/** Polls for as long as a slow machine might need. */
const polled = (read: () => Promise<unknown> | unknown) => expect.poll(read, { timeout: patience });

/** Returns the listed rows, by the text of their buttons. */
async function rowsOf(page: Page): Promise<readonly string[]> {
  return page.locator(".row .key").allTextContents();
}

function hashOf(page: Page): string {
  return new URL(page.url()).hash;
}

describe("with only the keyboard", () => {
  test("a user finds a drift, reads it and copies its command", async () => {
    const subject = { ...tour.drift, given: ["--environment", "production"] };
    const { page, wrong } = await reader.open(subject, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.keyboard.press("j");
    const focused = page.locator(":focus");
    expect(await focused.textContent()).toContain("platform/ui:release-2.4");
    expect(await focused.getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("Enter");
    expect(await focused.getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("Enter");
    expect(await page.locator(".events").textContent()).toContain("Just this once");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("button", { hasText: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      "setpoint apply --only review/BranchLock/platform/ui:release-2.4 --environment production",
    );
    // As in a terminal, someone has to write a reason: ack refuses the ellipsis.
    expect(await page.locator(".command code").last().textContent()).toMatch(/ --reason … --environment production$/);
    expect(wrong).toEqual([]);
  });

  test("/ searches, Escape leaves the search and then shows everything, and f moves to the filters", async () => {
    const { page } = await reader.open(tour.plan);
    await page.keyboard.press("/");
    await page.keyboard.type("wiki");
    expect(await rowsOf(page)).toEqual(["48213"]);
    expect(hashOf(page)).toBe("#search=wiki");
    await page.keyboard.press("Escape");
    expect(await page.locator(":focus").count()).toBe(0);
    await page.keyboard.press("Escape");
    expect(await rowsOf(page)).toHaveLength(16);
    await page.keyboard.press("f");
    expect(await page.locator(":focus").getAttribute("data-facet")).toBe("verdict");
  });

  test("j and k move through the rows, and ? shows the keys", async () => {
    const { page } = await reader.open(tour.plan);
    const focused = page.locator(":focus .key");
    const keys = await rowsOf(page);
    for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key);
    expect(await focused.textContent()).toBe(keys[1]);
    await page.keyboard.press("?");
    expect(await page.locator("dialog").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.locator("dialog").isVisible()).toBe(false);
  });

  test("the map is one tab stop, the arrow keys move in it, and Enter goes to a resource", async () => {
    const { page } = await reader.open(tour.drift);
    const first = page.locator("a.mark[tabindex='0']");
    const before = await first.getAttribute("aria-label");
    await first.focus();
    await page.keyboard.press("ArrowRight");
    const name = await page.locator(":focus").getAttribute("aria-label");
    expect(name).toMatch(/: in sync$/);
    expect(name).not.toBe(before);
    expect(await page.locator("a.mark[tabindex='0']").count()).toBe(1);
    await page.keyboard.press("Enter");
    expect(await page.locator(".row.linked .kind").textContent()).toBe(name?.split(" ")[0]);
  });
});

describe("filters", () => {
  test.each([
    ["verdict", "drift"],
    ["action", "change"],
    ["risk", "widens access"],
    ["service", "review"],
    ["kind", "Gamma"],
    ["owner", "team-3"],
    ["label", "train=2.1"],
  ])("by %s find as many rows as they say, and appear in the URL", async (facet, value) => {
    const plan = largePlan(420, 20);
    const { page } = await reader.open({ plan });
    const button = page
      .locator(`button[data-facet="${facet}"]`)
      .filter({ has: page.getByText(value, { exact: true }) });
    const count = Number(await button.locator(".count, strong").textContent());
    await button.click();
    const status = `${count} of 420 resources`;
    expect(await page.getByRole("status").textContent()).toBe(status);
    const hash = hashOf(page);
    expect(new URLSearchParams(hash.slice(1)).getAll(facet)).toEqual([value]);

    const again = await reader.open({ plan }, { hash });
    expect(await again.page.getByRole("status").textContent()).toBe(status);
    expect(await again.page.locator("[aria-pressed='true'][data-facet]").getAttribute("data-facet")).toBe(facet);
    await again.page.keyboard.press("Escape");
    expect(await again.page.getByRole("status").textContent()).toBe("420 resources");
  });

  test("dim in the map whatever they exclude", async () => {
    const { page } = await reader.open(tour.plan, { hash: "#service=review" });
    expect(await page.locator("a.mark:not(.off)").count()).toBe(5);
    expect(await page.locator("a.mark.off").count()).toBe(13);
  });

  test("do not keep a link from opening its resource, even one that is in sync", async () => {
    const { page } = await reader.open({ plan: largePlan(2000) }, { hash: `#at=${encodeURIComponent(inSync(2000))}` });
    await page.locator(".row.linked").waitFor();
    expect(await page.locator(".row.linked .head").getAttribute("aria-expanded")).toBe("true");
    expect(await page.locator(".row.linked .facts").textContent()).toContain("owner=team-");
  });
});

/** Returns a resource that is in sync. */
function inSync(count: number): string {
  return largePlan(count).inSync.at(-1) ?? "";
}

test("the calls are shown with what they leave of a quota", async () => {
  const { page } = await reader.open(tour.plan);
  expect(await page.locator(".calls p").allTextContents()).toEqual([
    "After about 4 requests to hosting: 4,996 of 5,000 requests left until 2100-01-01 00:00 UTC.",
  ]);
});

describe("20,000 resources", () => {
  test("have one mark each, and no more rows than are visible, wherever the user scrolls", async ({ annotate }) => {
    const { page, wrong } = await reader.open({ plan: largePlan(20_000, 1) });
    const ready = await page.evaluate("Math.round(performance.now())");
    await annotate(`ready after ${ready} ms`);
    expect(await page.locator("a.mark").count()).toBe(20_000);
    expect(await page.locator(".row").count()).toBeLessThan(100);
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(22_000);
    await page.evaluate("scrollTo(0, 300000)");
    // Not with waitForFunction: if its first try is too early, it evaluates a text in the page, which the policy forbids.
    await polled(() =>
      page.evaluate("Number(document.querySelector('li[data-index]')?.dataset.index)"),
    ).toBeGreaterThan(1000);
    expect(await page.locator(".row").count()).toBeLessThan(100);
    await page.fill("#search", "component-19999:");
    expect(await rowsOf(page)).toEqual(["platform/component-19999:release-2.4"]);
    expect(wrong).toEqual([]);
  });

  test("can be traversed by keyboard, also from a resource in the middle that a link opened", async () => {
    const plan = largePlan(20_000, 1);
    const hash = `#at=${encodeURIComponent(plan.changes[9_998]?.address ?? "")}`;
    const { page } = await reader.open({ plan }, { hash });
    const focused = page.locator("[data-row]:focus");
    for (const key of ["", "j", "j", "k"]) {
      if (key !== "") await page.keyboard.press(key);
      await polled(() => focused.count()).toBe(1);
      await polled(() => page.evaluate(inView)).toBe(true);
    }
    expect(await page.locator(".row.linked").count()).toBe(1);
  });
});

const inView = `(() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
})()`;

describe("nothing from outside runs", () => {
  test.each<readonly [string, Plan["about"]["command"]]>([
    ["plan", "plan"],
    ["drift", "drift"],
  ])("in a hostile %s: no request, no dialog, no element from a text", async (_name, command) => {
    const plan = hostilePlan();
    const { page, wrong } = await reader.open({ plan: { ...plan, about: { ...plan.about, command } } });
    // In print every row appears, with all of its contents.
    await page.emulateMedia({ media: "print" });
    await polled(() => page.locator(".row .body").count()).toBeGreaterThan(plan.changes.length);
    await page.emulateMedia({ media: "screen" });
    await page.fill("#search", "<script>");
    expect(await page.locator(".row").count()).toBeGreaterThan(0);
    expect(await page.locator("img, iframe, object, embed, base, link, main script, main style").count()).toBe(0);
    expect(await page.locator("[onerror], [onmouseover], [style*='url']").count()).toBe(0);
    expect(wrong).toEqual([]);
  });

  test("even if it is in the page: the policy refuses it", async () => {
    const { page, wrong } = await reader.open(tour.plan);
    await page.evaluate(`{
      const script = document.createElement("script");
      script.textContent = "document.title = 'run'";
      document.body.append(script);
      const image = document.createElement("img");
      image.src = "https://evil.example/x.png";
      document.body.append(image);
    }`);
    await polled(() => wrong.filter((text) => /Content Security Policy/.test(text)).length).toBe(2);
    expect(await page.title()).not.toBe("run");
  });

  test("in a hostile apply with every result", async () => {
    const { wrong } = await reader.open({ plan: hostilePlan(), report: hostileReport() });
    expect(wrong).toEqual([]);
  });
});

describe("axe finds nothing", () => {
  const screens = [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["narrow", { colorScheme: "light", viewport: { width: 360, height: 740 } }],
  ] as const;
  const subjects = {
    plan: () => tour.plan,
    drift: () => tour.drift,
    calm: () => tour.calm,
    apply: () => ({ plan: { ...fullPlan, unmanaged: ["review/BranchLock/a"] }, report: fullReport }),
    refused: () => ({ plan: { ...fullPlan, refusals } }),
  } as const;
  const cases = Object.entries(subjects).flatMap(([name, subject]) =>
    screens.map(([screen, options]) => [name, screen, subject, options] as const),
  );
  test.each(cases)("in a page of %s, %s", async (_name, _screen, subject, options) => {
    const { page } = await reader.open(subject(), options);
    // The policy admits scripts only through the browser's own tools.
    await page.evaluate(axe.source);
    const found = await page.evaluate(`axe.run().then(({ violations, passes }) => ({
      violations: violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + failureSummary).slice(0, 2).join()),
      passes: passes.length,
    }))`);
    expect(found).toEqual({ violations: [], passes: expect.any(Number) });
  });
});

test("on a narrow screen the page does not scroll sideways, whatever address a refusal names", async () => {
  const address = `hosting/ActionsPermission/${"a_long_name_".repeat(9)}`;
  const longer = [{ code: "SP2002", message: `The plan deletes ${address}.` } as const];
  for (const subject of [tour.plan, { plan: { ...tour.plan.plan, refusals: longer } }]) {
    const { page } = await reader.open(subject, { viewport: { width: 360, height: 740 } });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  }
});

test("in print every row is present and open, and no filter is shown", async () => {
  const { page } = await reader.open({ plan: largePlan(4000, 10) });
  expect(await page.locator(".row .body").count()).toBe(0);
  await page.emulateMedia({ media: "print" });
  await polled(() => page.locator(".row .body").count()).toBe(400);
  expect(await page.locator("aside").isVisible()).toBe(false);
  await page.emulateMedia({ media: "screen" });
  await polled(() => page.locator(".row .body").count()).toBe(0);
});

test("the theme button changes the theme", async () => {
  const { page } = await reader.open(tour.plan, { colorScheme: "light" });
  const background = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
  const light = await background();
  await page.getByRole("button", { name: "Theme: change to dark" }).click();
  expect(await background()).not.toBe(light);
});

test("if everything is in sync, the page says so, shows no rows and folds the map", async () => {
  const { page } = await reader.open(tour.calm);
  expect(await page.locator("h1").textContent()).toBe("Everything is as desired: 18 resources.");
  expect(await page.locator(".row, aside").count()).toBe(0);
  expect(await page.locator("a.mark").first().isVisible()).toBe(false);
});

test("equal lines of a text are folded, can be unfolded, and are shown side by side on request", async () => {
  const { page } = await reader.open({ plan: fullPlan }, { hash: "#kind=WikiPage" });
  const diff = page.locator(".diff").first();
  const before = await diff.locator(".line").count();
  await diff.locator("button.fold").first().click();
  expect(await diff.locator(".line").count()).toBeGreaterThan(before);
  const toggle = page.getByRole("button", { name: "texts side by side" });
  const isWide = (await toggle.getAttribute("aria-pressed")) === "true";
  await toggle.click();
  expect(await diff.getAttribute("class")).toBe(isWide ? "diff" : "diff sides");
});
