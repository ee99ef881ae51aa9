import { neutralHtml, neutralJson } from "../neutral.ts";
import type { Subject } from "../summary.ts";
import type { PageData } from "./page-data.ts";
import { slots } from "./slots.ts";
import { pageData } from "./view.ts";

/** One page that needs nothing else: the shell that `npm run build` makes, with the subject as data that nothing executes. */
export function renderHtml(subject: Subject, shell: string): string {
  return renderPage(pageData(subject), shell);
}

function renderPage(data: PageData, shell: string): string {
  const texts: Readonly<Record<string, string>> = {
    [slots.title]: neutralHtml(`${data.title}: ${data.sentence}`),
    [slots.sentence]: neutralHtml(data.sentence),
    [slots.data]: embedded(JSON.stringify(data)),
  };
  return shell.replace(/<!--(?:title|sentence|data)-->/g, (slot) => texts[slot] ?? slot);
}

/** JSON in an element that no text in it can end, with the same value. */
function embedded(json: string): string {
  return neutralJson(json).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}
