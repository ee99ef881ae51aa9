import { expect, test } from "vitest";
import { systemClock } from "../../../src/clients/http/clock.ts";
import { workflows } from "../../support/commands.ts";
import { openDirectLab } from "../../support/lab.ts";
import { memoryQueue } from "../../support/queue.ts";

const openQueue = memoryQueue({ ...systemClock, wait: async () => {} });

test("a plan whose resources workers have read is not applied; if saved, it is made again without them", async () => {
  await using lab = await openDirectLab();
  const manifests = workflows("website", false);
  const spread = lab.another({ openQueue });
  await expect(spread.apply(manifests)).rejects.toMatchObject({ problems: [{ code: "SP5001" }] });
  const saved = await spread.save(manifests);
  lab.asked();
  // No worker is used: an apply always reads for itself, whatever a queue says.
  const alone = lab.another({
    openQueue: async () => {
      throw new Error("asked");
    },
  });
  expect(await alone.applySaved(saved, manifests)).toMatchObject({ outcomes: [{ result: "applied" }] });
  expect(lab.asked()).toContain("setActionsPermissions");
});
