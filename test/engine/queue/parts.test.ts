import { expect, test } from "vitest";
import { systemClock } from "../../../src/clients/http/clock.ts";
import { workflows } from "../../support/commands.ts";
import { openDirectLab } from "../../support/lab.ts";
import { memoryQueue } from "../../support/queue.ts";

test("workers read the same part as this process would, and each shard of a run has its own", async () => {
  await using lab = await openDirectLab({ now: new Date() });
  const opened: unknown[] = [];
  const queue = memoryQueue({ ...systemClock, wait: async () => {} });
  const spread = lab.another({
    openQueue(options, parts) {
      opened.push(parts.shard);
      return queue(options, parts);
    },
  });
  const base = workflows("website", true) + workflows("api", true);
  const now = workflows("website", false) + workflows("api", true);
  const shards = [1, 2].map((index) => ({ now: base, select: { shard: { index, of: 2 } } }));
  for (const manifests of [{ now, base, select: { affected: true } }, ...shards]) {
    const { services: _read, forecast: _counted, ...plan } = await spread.plan(manifests);
    expect(await lab.plan(manifests)).toMatchObject(plan);
  }
  expect(opened).toEqual([undefined, { index: 1, of: 2 }, { index: 2, of: 2 }]);
});

test("an invalid part is reported before a queue is opened", async () => {
  await using lab = await openDirectLab();
  const asked = lab.another({
    openQueue: async () => {
      throw new Error("asked");
    },
  });
  const wrong = { now: workflows("website", true), select: { affected: true } };
  expect(await asked.tryPlan(wrong)).toMatchObject({ is: "wrong", problems: [{ code: "SP5001" }] });
});
