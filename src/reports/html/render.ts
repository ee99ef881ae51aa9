import { neutralHtml, neutralJson } from "../neutral.ts";
import type { PlannedRun } from "../text/summary.ts";
import { pageData } from "./view.ts";

/** The placeholders in the shell, the built page, for what it shows. */
export const slots = { title: "<!--title-->", sentence: "<!--sentence-->", data: "<!--data-->" } as const;

/** Renders one self-contained page: the shell that `npm run build` makes, with the subject as data that nothing executes. */
export function renderHtml(subject: PlannedRun, shell: string): string {
  const data = pageData(subject);
  const texts: Readonly<Record<string, string>> = {
    [slots.title]: neutralHtml(`${data.title}: ${data.sentence}`),
    [slots.sentence]: neutralHtml(data.sentence),
    [slots.data]: embedded(JSON.stringify(data)),
  };
  return shell.replace(/<!--(?:title|sentence|data)-->/g, (slot) => texts[slot] ?? slot);
}

/** JSON for an element, with the same value, in which no string can end the element. */
function embedded(json: string): string {
  return neutralJson(json).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}
