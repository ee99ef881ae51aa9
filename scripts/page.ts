/** Builds the shell of the HTML report: one file with its script, its style, and a policy that lets nothing else run or load. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { build } from "vite";
import { slots } from "../src/reports/html/render.ts";

// The builder's environment can have another value, and a development page is a sixth larger.
process.env.NODE_ENV = "production";

const built = await build({
  configFile: false,
  logLevel: "warn",
  root: "src/reports/html/app",
  build: {
    write: false,
    target: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: false,
    rolldownOptions: { input: "src/reports/html/app/main.tsx" },
  },
});
const outputs = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
const script = outputs.flatMap((one) => (one.type === "chunk" ? [one.code.trim()] : [])).join("\n");
const style = outputs
  .flatMap((one) => (one.type === "asset" && one.fileName.endsWith(".css") ? [String(one.source).trim()] : []))
  .join("\n");
if (script === "" || style === "" || /<\/(script|style)|<!--/i.test(script + style))
  throw new Error("The page's program or style is empty, or would end its element.");

mkdirSync("dist/page", { recursive: true });
writeFileSync("dist/page/shell.html", shellOf());

function shellOf(): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${slots.title}</title>
<style>${style}</style>
</head>
<body>
<div id="app"><h1>${slots.sentence}</h1>
<noscript>The rest of this page needs JavaScript. If a CI server or mail program blocks it here, save the file and open it.</noscript>
</div>
<script type="application/json" id="data">${slots.data}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
