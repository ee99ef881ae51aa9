import { expect, test } from "vitest";
import { eventTime } from "../../src/core/change.ts";

test.each([
  [0, "1970-01-01T00:00:00.000Z"],
  [1_800_000_000_000, "2027-01-15T08:00:00.000Z"],
  ["2027-01-13T18:04:00Z", "2027-01-13T18:04:00.000Z"],
  ["2027-01-13T18:04:00+01:00", "2027-01-13T17:04:00.000Z"],
  ["2027-01-13T18:04:00.5+0130", "2027-01-13T16:34:00.500Z"],
  ["2027-01-13T18:04:00-0730", "2027-01-14T01:34:00.000Z"],
])("the time of an event at %j is %s", (moment, at) => {
  expect(eventTime(moment)).toEqual({ at });
});

test.each([undefined, "", "yesterday", Number.NaN, 9e15])("an event at %j has no valid time", (moment) => {
  expect(eventTime(moment)).toEqual({});
});
