import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { request } from "undici";
import { expect, test } from "vitest";
import { cases } from "../../bench/cases.ts";
import type { Case } from "../../bench/harness/case.ts";
import { withContext } from "../../bench/harness/context.ts";
import { measureCase } from "../../bench/harness/measure.ts";

const isPythonThere = spawnSync("python3", ["--version"]).status === 0;

test("every case has a unique name", () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

test.skipIf(!isPythonThere)(
  "a case measures programs and requests; a failed or missing figure is a gap, and nothing is left over",
  async () => {
    const folders: string[] = [];
    const urls: string[] = [];
    const small: Case = {
      name: "small",
      title: "Small",
      how: "A process and a request.",
      async prepare({ fake, folder, run }) {
        const service = await fake("bench/fake/hosting.ts", "--etags");
        folders.push(folder);
        urls.push(service.url);
        const node = (script: string) => run({ command: [process.execPath, "-e", script], cwd: folder });
        return {
          is: "ready",
          rounds: 1,
          sides: [
            {
              name: "process",
              async run() {
                const { stdout, ...figures } = await node("console.log(process.env.HOME)");
                expect(stdout).toBe("undefined\n");
                return figures;
              },
            },
            {
              name: "request",
              run: () =>
                service.counted(async () => {
                  const path = `${service.url}/repos/acme/a/actions/permissions`;
                  const first = await request(path);
                  await first.body.dump();
                  for (let again = 0; again < 2; again++) {
                    const headers = { "if-none-match": String(first.headers.etag) };
                    await (await request(path, { headers })).body.dump();
                  }
                  return {};
                }),
            },
            { name: "broken", run: () => node("console.error(process.cwd() + ' is out of order'); process.exit(3)") },
          ],
          verdicts: (of) => [
            { what: "requests", value: of("request", "requests"), unit: "count" },
            { what: "of the broken one", value: of("broken", "wall"), unit: "milliseconds" },
          ],
          gaps: [{ what: "a peer", why: "it is not installed" }],
        };
      },
    };
    const { sides, verdicts, gaps } = await withContext(true, (context) =>
      measureCase(small, context, () => undefined),
    );
    const [ofProcess, ofRequests, ofBroken] = sides.map(({ samples }) => samples);
    expect(Object.keys(ofProcess?.[0] ?? {}).sort()).toEqual(["memory", "processor", "wall"]);
    // A bare Node takes more than 20 MB; less would be the memory of the program that measures.
    expect(ofProcess?.[0]?.memory).toBeGreaterThan(20e6);
    expect(ofRequests).toEqual([{ requests: 3, notModified: 2, atOnce: 1, quota: 1 }]);
    expect(ofBroken).toEqual([]);
    expect(verdicts).toEqual([{ what: "requests", value: 3, unit: "count" }]);
    expect(gaps).toEqual([
      { what: "a peer", why: "it is not installed" },
      { what: "broken", why: "exited with 3: … is out of order" },
    ]);
    expect(folders.map((folder) => existsSync(folder))).toEqual([false]);
    await expect(request(urls[0] ?? "")).rejects.toThrow();
  },
);

test("a case that cannot be prepared is a gap with its reason", async () => {
  const unready: Case = {
    name: "unready",
    title: "Unready",
    how: "",
    prepare: async () => ({ is: "skipped", why: "there is no such option yet" }),
  };
  const broken: Case = { ...unready, prepare: () => Promise.reject(new Error("no room")) };
  const results = await withContext(true, async (context) => [
    await measureCase(unready, context, () => undefined),
    await measureCase(broken, context, () => undefined),
  ]);
  expect(results.map(({ gaps }) => gaps)).toEqual([
    [{ what: "all of it", why: "there is no such option yet" }],
    [{ what: "all of it", why: "Error: no room" }],
  ]);
});
