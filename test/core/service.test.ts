import { expect, test } from "vitest";
import { oneServer } from "../../src/core/service.ts";
import { serviceOf } from "../clients/fixtures.ts";

test("all services of one server share one list of their names, so that thousands of them fit into memory", () => {
  const url = "http://127.0.0.1:8000";
  const services = ["one", "two", "three"].map((name) => ({ ...serviceOf("wiki", { url }), name }));
  const names = oneServer([...services, { ...serviceOf("wiki", { url: `${url}/other` }), name: "four" }]);
  expect([...names.keys()]).toEqual(["one", "two", "three", "four"]);
  expect([...new Set(names.values())]).toEqual([["one", "two", "three"], ["four"]]);
});
