import { join } from "node:path";
import { expect, test } from "vitest";
import { type Desk, openDesk, workflows } from "../support/commands.ts";

const of = 3;

const names = (count: number) => Array.from({ length: count }, (_none, index) => `night-${index}`);
const manifests = (count: number) =>
  names(count)
    .map((repo) => workflows(repo, true))
    .join("");

/** A desk on which every repository exists. */
async function openEstate(count: number): Promise<Desk> {
  const desk = await openDesk(manifests(count));
  desk.sandbox.change(({ hosting: { repositories } }) => {
    const [first] = repositories;
    if (first === undefined) throw new Error("no repository");
    for (const name of names(count)) repositories.push({ ...structuredClone(first), name });
  });
  return desk;
}

/** The requests of one night: the statuses and operations of each shard, which runs on its own machine and keeps its readings. */
async function night(desk: Desk) {
  const shards: { readonly statuses: readonly number[]; readonly operations: readonly (string | undefined)[] }[] = [];
  for (let index = 1; index <= of; index++) {
    desk.sandbox.clear();
    const env = { ...desk.env, XDG_CACHE_HOME: join(desk.path, `cache-${index}`) };
    const drifted = await desk.open({ env }).drift({ shard: { index, of } });
    expect(drifted.is).toBe("planned");
    const requests = desk.sandbox.requests();
    shards.push({
      statuses: requests.map(({ status }) => status),
      operations: requests.map(({ operation }) => operation),
    });
  }
  return shards;
}

const statusesOf = (shards: Awaited<ReturnType<typeof night>>) => shards.flatMap(({ statuses }) => statuses).toSorted();
const times = (count: number, status: number) => Array.from({ length: count }, () => status);

test.each([12, 24])("a night of %d repositories is one request each, and the next night is 304s", async (count) => {
  await using desk = await openEstate(count);
  expect(statusesOf(await night(desk))).toEqual(times(count, 200));
  expect(statusesOf(await night(desk))).toEqual(times(count, 304));
  // Each new or changed repository is one full answer: no other repository has moved to another shard.
  await desk.write("manifests/all.yaml", manifests(count) + workflows("website", true));
  desk.sandbox.change(({ hosting }) => {
    const changed = hosting.repositories.find(({ name }) => name === "night-0");
    if (changed !== undefined) changed.actions.enabled = !changed.actions.enabled;
  });
  expect(statusesOf(await night(desk))).toEqual([200, 200, ...times(count - 1, 304)]);
});

test("a shard that finds nothing on a service asks once more, and the others do not", async () => {
  await using desk = await openEstate(1);
  // There are enough missing repositories for every shard to have some.
  const missing = Array.from({ length: 30 }, (_none, index) => `nowhere-${index}`);
  await desk.write("manifests/all.yaml", [...names(1), ...missing].map((repo) => workflows(repo, true)).join(""));
  const shards = await night(desk);
  expect(statusesOf(shards).filter((status) => status === 404)).toHaveLength(missing.length);
  const asked = shards.map(({ statuses, operations }) => ({
    finds: statuses.some((status, at) => status === 200 && operations[at] === "getActionsPermissions"),
    more: operations.filter((operation) => operation !== "getActionsPermissions").length,
  }));
  expect(asked).toEqual([
    { finds: true, more: 0 },
    { finds: false, more: 1 },
    { finds: false, more: 1 },
  ]);
});
