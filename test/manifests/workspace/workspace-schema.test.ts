import { expect, test } from "vitest";
import { allServices } from "../../../src/clients/find-service.ts";
import { shapeOf } from "../../../src/core/json-schema.ts";
import { workspaceSchemas } from "../../../src/manifests/workspace/workspace-schema.ts";

test("the schemas of a list of types, and the shape of a schema, are made once", () => {
  const { file, service } = workspaceSchemas(allServices);
  expect(workspaceSchemas(allServices).file).toBe(file);
  expect(shapeOf(file)).toBe(shapeOf(file));
  const one = workspaceSchemas(allServices.slice(0, 1)).service;
  expect(one.shape.type.options).toEqual(allServices[0]?.types);
  expect(shapeOf(one)).not.toBe(shapeOf(service));
});
