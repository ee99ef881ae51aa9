/** Makes the screenshots in docs/images: the HTML reports of the tour. Chromium has to be installed. */
import { mkdir } from "node:fs/promises";
import { openReader } from "../test/support/browser.ts";
import { takeTour } from "../test/support/tour.ts";

const folder = "docs/images";
const tour = await takeTour();
const wide = { width: 1200, height: 750 };
const narrow = { width: 390, height: 844 };
const pictures = [
  ["page-light", tour.plan, { viewport: wide, colorScheme: "light" }],
  ["page-dark", tour.plan, { viewport: wide, colorScheme: "dark" }],
  ["page-narrow", tour.plan, { viewport: narrow, colorScheme: "light" }],
  ["page-drift", tour.drift, { viewport: wide, colorScheme: "light" }],
] as const;

await mkdir(folder, { recursive: true });
await using reader = await openReader();
for (const [name, subject, options] of pictures) {
  const { page } = await reader.open(subject, options);
  await page.screenshot({ path: `${folder}/${name}.png` });
  console.log(`${folder}/${name}.png`);
}
