import { createHash } from "node:crypto";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { readShell } from "../../src/cli/results/report-files.ts";
import type { PageData } from "../../src/reports/html/page-data.ts";
import { renderHtml } from "../../src/reports/html/render.ts";
import type { PlannedRun } from "../../src/reports/text/summary.ts";

/** Returns the page of a subject, as in a report file. */
export async function pageOf(subject: PlannedRun): Promise<string> {
  return renderHtml(subject, await readShell());
}

/** An element of a page, as a browser reads it. */
export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Returns the elements of a page, and its comments. */
export function elementsOf(html: string): readonly PageElement[] {
  const found: PageElement[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node) => {
    if (node.nodeName === "#comment") found.push({ name: "comment", attributes: {}, text: "" });
    if ("tagName" in node) {
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
      const text = node.childNodes.map((child) => ("value" in child ? child.value : "")).join("");
      found.push({ name: node.tagName, attributes, text });
    }
    if ("childNodes" in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(html));
  return found;
}

/** Returns the data that the page's program reads. */
export function dataOf(html: string): PageData {
  const data = elementsOf(html).find(({ attributes }) => attributes.id === "data");
  return JSON.parse(data?.text ?? "");
}

/** Returns a hash in the format of a content security policy. */
export function policyHash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
