import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultWorld } from "../../src/sandbox/default-world.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import type { Case } from "../harness/case.ts";
import { used } from "../harness/workspace.ts";

/** A small edit of a large text. */
export const largePage: Case = {
  name: "large-page",
  title: "A wiki page of 1 MB with a small edit",
  how: "`plan` of one `WikiPage` whose body differs in one row of a table; the plan has to show that row and no other. The sandbox is a process of its own.",
  async prepare(context) {
    const rows = context.isQuick ? 1600 : 16_000;
    const world = defaultWorld();
    const calendar = world.wiki.pages["48213"];
    if (calendar !== undefined) calendar.body = page(rows, "Live");
    const worldFile = join(context.folder, "world.json");
    writeFileSync(worldFile, JSON.stringify(world));
    const sandbox = await context.fake("bin/setpoint.js", "sandbox", "--json", "--world", worldFile);
    const cwd = join(context.folder, "wiki");
    mkdirSync(join(cwd, "manifests"), { recursive: true });
    const url = `${sandbox.url}/wiki`;
    writeFileSync(
      join(cwd, "setpoint.yaml"),
      `version: 1\nservices:\n  wiki: { type: confluence, url: "${url}" }\nmanifests: [manifests/*.yaml]\n`,
    );
    writeFileSync(
      join(cwd, "manifests/page.yaml"),
      'kind: WikiPage\nspec:\n  id: "48213"\n  body:\n    file: page.html\n',
    );
    writeFileSync(join(cwd, "manifests/page.html"), page(rows, "Edited"));
    return {
      is: "ready",
      rounds: context.isQuick ? 2 : 3,
      sides: [
        {
          name: "setpoint plan",
          async run() {
            const finished = await context.setpoint(["plan"], { cwd, env: environmentFor(sandbox.url) });
            const isDiffed = /-.*Live row/.test(finished.stdout) && /\+.*Edited row/.test(finished.stdout);
            if (!isDiffed || finished.stdout.length > 10_000)
              throw new Error(`the plan does not show the edit: ${finished.stdout.slice(0, 400)}`);
            return used(finished);
          },
        },
      ],
      verdicts: (of) => [
        {
          what: "time",
          value: of("setpoint plan", "wall"),
          unit: "milliseconds",
          target: { is: "at most", value: 1000 },
        },
      ],
    };
  },
};

/** Storage markup with a row in the middle that says `word`. */
function page(rows: number, word: string): string {
  const row = (_: unknown, index: number) =>
    `<tr><td>${index === rows / 2 ? `${word} row` : `Row ${index}`}</td><td>component ${index % 97}</td></tr>\n`;
  return `<p>Components</p><table><tbody>${Array.from({ length: rows }, row).join("")}</tbody></table>`;
}
