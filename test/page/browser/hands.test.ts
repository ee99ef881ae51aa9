import { afterAll, beforeAll, expect, test } from "vitest";
import type { Plan } from "../../../src/core/run/plan.ts";
import { fullPlan } from "../../reports/fixture.ts";
import { openReader, type Reader } from "../../support/browser.ts";
import { type Tour, takeTour } from "../../support/tour.ts";

let reader: Reader;
let tour: Tour;
beforeAll(async () => {
  [reader, tour] = await Promise.all([openReader(), takeTour()]);
});
afterAll(() => reader[Symbol.asyncDispose]());

test("a link goes to its resource each time it is followed, and leaves the filters and the rest of the URL as they are", async () => {
  const { page, wrong } = await reader.open(tour.plan, { hash: "?artifact=7#service=analysis" });
  const link = page.locator(".facts a").first();
  const address = (await link.textContent()) ?? "";
  const key = address.split("/").at(-1) ?? "";
  for (const _time of ["first", "second"]) {
    await link.click();
    await page.locator("[data-row]:focus", { hasText: key }).waitFor();
    const { hash, search } = new URL(page.url());
    expect([search, hash]).toEqual(["?artifact=7", `#${new URLSearchParams({ service: "analysis", at: address })}`]);
  }
  await page.keyboard.press("Escape");
  expect(new URL(page.url()).search).toBe("?artifact=7");
  expect(wrong).toEqual([]);
});

test("the theme button changes the theme also where the browser stores nothing, as in a sandboxed frame", async () => {
  const { page } = await reader.open(tour.plan, { colorScheme: "light" });
  await page.addInitScript(`Object.defineProperty(window, "localStorage", { get() { throw new Error("denied"); } })`);
  await page.reload();
  const background = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
  const light = await background();
  await page.getByRole("button", { name: "Theme: change to dark" }).click();
  await page.getByRole("button", { name: "Theme: change to light" }).waitFor();
  expect(await background()).not.toBe(light);
});

test("the chart says how much had drifted at most, without what could not be read", async () => {
  const { page } = await reader.open(tour.drift);
  expect(await page.locator(".chart svg").getAttribute("aria-label")).toBe(
    "Drift over 30 runs; at most 4 at a time, 1 in the last one",
  );
});

test("a screen reader reads the words of a row apart", async () => {
  const { page } = await reader.open(tour.drift);
  const row = page.getByRole("button", { name: "platform/ui:release-2.4" });
  expect(await row.ariaSnapshot()).toContain("release-2.4 change drift · access was widened");
});

test("a label that only some resources have is a filter", async () => {
  const { page } = await reader.open(tour.drift);
  const filter = page.getByRole("button", { name: "train=2.4 3", exact: true });
  expect(await filter.count()).toBe(1);
  await filter.click();
  expect(await page.getByRole("status").textContent()).toBe("3 of 18 resources");
});

test("one resource is counted as one", async () => {
  const { page } = await reader.open({ plan: { ...tour.drift.plan, inSync: [] } });
  expect(await page.getByRole("status").textContent()).toBe("1 resource");
});

test("the mark of a row stands beside its first line, however long its words are", async () => {
  const { page } = await reader.open({ plan: longWords(tour.drift.plan) });
  const below = await page.evaluate<number>(`(() => {
    const [mark, words] = ["mark", "words"].map((part) => document.querySelector(".row .head ." + part));
    return mark.getBoundingClientRect().bottom - words.getBoundingClientRect().top;
  })()`);
  expect(below).toBeLessThan(25);
});

/** A plan of which each change has more words than fit beside its address. */
function longWords(plan: Plan): Plan {
  return { ...plan, changes: plan.changes.map((change) => ({ ...change, note: "it does not hold ".repeat(12) })) };
}

test("a line between the sides of a text is on the right side only, also below a fold", async () => {
  const { page } = await reader.open({ plan: fullPlan }, { viewport: { width: 1280, height: 900 } });
  expect(await page.locator(".sides button.fold").count()).toBe(1);
  expect(await page.evaluate(borders)).toEqual([false, true]);
});

/** Whether the lines of each side have a border at their left. */
const borders = `[1, 0].map((side) => {
  const lines = [...document.querySelectorAll(".sides .line")].filter((_line, index) => index % 2 !== side);
  const drawn = new Set(lines.map((line) => getComputedStyle(line).borderLeftStyle !== "none"));
  return drawn.size === 1 ? [...drawn][0] : "mixed";
})`;
