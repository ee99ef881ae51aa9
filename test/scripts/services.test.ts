import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { services } from "../../scripts/generate/services.ts";

/** Creates a project folder with the given files. */
function projectWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "setpoint-services-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

test("folders with a service are listed by role, with the requested members", () => {
  const root = projectWith({
    "src/clients/wiki/service.ts": "export const wikiService = {};\n",
    "src/clients/chat/service.ts": "export const chatService = {};\n",
    "src/clients/http/retry.ts": "export const retries = 3;\n",
  });
  const { path, text } = services(root, "src/clients/services.ts", "Service", ["table"]);
  expect(path).toBe("src/clients/services.ts");
  expect(text).toMatchInlineSnapshot(`
    "// Derived by scripts/generate.ts: do not edit.
    import { chatService } from "./chat/service.ts";
    import { wikiService } from "./wiki/service.ts";

    /** What the folders of services here export, by role. */
    export const services = {
      chat: chatService,
      wiki: wikiService,
    } as const;

    /** The member \`table\` of each. */
    export const tables = {
      chat: chatService.table,
      wiki: wikiService.table,
    } as const;
    "
  `);
});

test("the error for a service that does not export its constant names the service", () => {
  const root = projectWith({ "src/sandbox/wiki/service.ts": "export const wiki = {};\n" });
  expect(() => services(root, "src/sandbox/services.ts", "StandIn")).toThrow(
    "src/sandbox/wiki/service.ts must export the constant wikiStandIn.",
  );
});
