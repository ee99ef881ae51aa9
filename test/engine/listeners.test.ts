import { expect, onTestFinished, test, vi } from "vitest";
import { openDirectLab } from "../support/lab.ts";
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
])("a listener that %s is one warning: an apply ends and reports what it did", async (_how, onProgress) => {
  await using lab = await openDirectLab({ onProgress });
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const { outcomes } = await lab.apply(page);
  expect(outcomes).toMatchObject([{ result: "applied" }]);
  expect(lab.journal.at(-1)).toMatchObject({ event: "end", outcomes });
  expect(warn.mock.calls).toEqual([[new Error("the listener failed")]]);
});
