import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { PlannedRun } from "../../src/reports/text/summary.ts";
import { pageOf } from "./page.ts";

/** A browser that opens pages from disk, as a person does. */
export interface Reader extends AsyncDisposable {
  /** Opens the page of a subject; `hash` is the end of its URL. */
  open(subject: PlannedRun, options?: BrowserContextOptions & { readonly hash?: string }): Promise<OpenPage>;
}

/** A page, and its attempts at what it must not do. */
export interface OpenPage {
  readonly page: Page;
  /** Requests other than for the file itself, errors, and whatever its policy refused. */
  readonly wrong: readonly string[];
}

/** Milliseconds: no machine is too slow for a page. */
export const patience = 600_000;

/** The path of Chromium on Debian. */
const executablePath = "/usr/bin/chromium";

/** Keeps the browser itself from sending requests. */
const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export async function openReader(): Promise<Reader> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-page-"));
  const browser: Browser = await chromium.launch({ executablePath, args, timeout: patience });
  let files = 0;
  return {
    async open(subject, { hash = "", ...options } = {}) {
      const file = join(folder, `${files++}.html`);
      await writeFile(file, await pageOf(subject));
      const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
      context.setDefaultTimeout(patience);
      const page = await context.newPage();
      const wrong: string[] = [];
      page.on("request", (request) => {
        if (!request.url().startsWith(pathToFileURL(file).href)) wrong.push(`request: ${request.url()}`);
      });
      page.on("dialog", (dialog) => {
        wrong.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
      page.on("console", (message) => wrong.push(`console: ${message.text()}`));
      await page.goto(pathToFileURL(file).href + hash);
      await page.waitForSelector("[data-ready]", { state: "attached" });
      return { page, wrong };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await rm(folder, { recursive: true });
    },
  };
}
