import { expect, onTestFinished, test } from "vitest";
import { openLab } from "../support/lab.ts";
import { document } from "../support/manifest.ts";

const page = document("WikiPage", { id: "48213", title: "Told" });

test.each([
  [
    "throws",
    () => {
      throw new Error("the listener failed");
    },
  ],
  ["rejects", async () => Promise.reject(new Error("the listener failed"))],
])("a listener that %s is a warning: an apply ends and reports what it did", async (_how, onProgress) => {
  await using lab = await openLab({ onProgress });
  const warned: string[] = [];
  const warn = (warning: Error) => warned.push(String(warning));
  process.on("warning", warn);
  onTestFinished(() => void process.off("warning", warn));
  const { outcomes } = await lab.apply(page);
  expect(outcomes).toMatchObject([{ result: "applied" }]);
  expect(lab.journal.at(-1)).toMatchObject({ event: "end", outcomes });
  expect(warned.join()).toContain("the listener failed");
});
