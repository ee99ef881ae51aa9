import { expect, test } from "vitest";
import { allServices } from "../../../src/clients/find-service.ts";
import { load } from "../../../src/manifests/load.ts";
import { newFiles } from "../../../src/manifests/new-workspace/new-files.ts";
import { readService } from "../../../src/manifests/new-workspace/new-service.ts";
import { kinds } from "../../../src/reconcilers/registry.ts";
import { inMemory } from "../../support/in-memory.ts";

const products = allServices.flatMap(({ types }) => types);
const read = (text: string, taken: readonly string[] = []) => readService(text, allServices, taken);

test("a service is a name, a product and an address", () => {
  const service = { name: "review", type: "gerrit", url: "https://review.example.com/r" };
  expect(read("review=gerrit:https://review.example.com/r/")).toEqual({ is: "service", service });
});

test.each([
  ["review", "expects name=product:address, such as review=gerrit:https://review.example.com."],
  ["gerrit:https://user:pass@review.example.com", "expects name=product:address"],
  ["review=https://review.example.com", "expects name=product:address"],
  ["Review=gerrit:https://a.example", '"Review": Expected a name of a-z, 0-9 and -.'],
  ["=gerrit:https://a.example", '"": Expected a name of a-z, 0-9 and -.'],
  ["wiki=confluence:https://a.example", '"wiki": Another service has the name "wiki".'],
  ["a=gerit:https://a.example", '"a": There is no product "gerit". Did you mean "gerrit"?'],
  ["a=svn:https://a.example", `"a": There is no product "svn". Expected ${products.slice(0, -1).join(", ")} or `],
  [
    "a=gerrit:review.example.com",
    '"a": Expected an http or https URL without credentials, query and fragment. It begins',
  ],
  ["a=gerrit:https://a.example?x", '"a": Expected an http or https URL'],
  ["a=gerrit:https://${host}", '"a": Expected an address without a placeholder.'],
])("%j is an error", (text, expected) => {
  const found = read(text, ["wiki"]);
  expect(found.is === "wrong" ? found.mistakes.join() : found).toContain(expected);
});

test("all errors of a service are reported, without its password", () => {
  const found = read("A=gerit:https://user:pass@a.example");
  expect(found).toMatchObject({ is: "wrong", mistakes: [{}, {}, {}].map(() => expect.any(String)) });
  expect(JSON.stringify(found)).not.toContain("pass@");
});

test("the workspace file written for any services is valid", async () => {
  const services = allServices.flatMap(({ types }) =>
    types.map((type) => ({ name: `1-${type}`, type, url: "https://a.example:8443/x" })),
  );
  const [workspace] = newFiles({ services, schemas: "schema" });
  const source = inMemory({ "setpoint.yaml": workspace?.content ?? "" });
  const options = { source, kinds, types: allServices, workspaceFile: "setpoint.yaml", variables: {} };
  const { workspace: loaded, problems } = await load(options);
  expect(problems.map(({ code }) => code)).toEqual(["SP1013"]);
  expect(loaded?.services.map(({ name, type, url }) => ({ name, type, url }))).toEqual(services);
});
