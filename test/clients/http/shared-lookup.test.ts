import type { LookupFunction } from "node:net";
import { expect, test } from "vitest";
import { sharedLookup } from "../../../src/clients/http/connections/agents.ts";

test("a name is looked up once for concurrent callers, and again after that", () => {
  const asked: Parameters<LookupFunction>[] = [];
  const lookup = sharedLookup((...one) => void asked.push(one));
  const told: unknown[] = [];
  const ask = (name: string, all: boolean) => lookup(name, { all }, (error, address) => told.push([error, address]));

  ask("a.test", true);
  ask("a.test", true);
  ask("b.test", true);
  ask("a.test", false);
  expect(asked.map(([name, { all }]) => [name, all])).toEqual([
    ["a.test", true],
    ["b.test", true],
    ["a.test", false],
  ]);

  asked[0]?.[2](null, [{ address: "192.0.2.1", family: 4 }]);
  expect(told).toEqual(Array(2).fill([null, [{ address: "192.0.2.1", family: 4 }]]));

  ask("a.test", true);
  expect(asked).toHaveLength(4);
});
