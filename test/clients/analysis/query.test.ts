import fc from "fast-check";
import { expect, test } from "vitest";
import { SearchQuery } from "../../../src/clients/analysis/issues.ts";
import { matching } from "../../../src/sandbox/analysis/issues.ts";

test.each([
  [{ build: "123string" }, "build:+'123string'"],
  [{ build: { contains: "123" } }, "build:'123'"],
  [{ file: "main.c", state: "New", severity: { from: 1, to: 3 } }, "file:main.c state:New severity:1-3"],
  [{ severity: 2 }, "severity:2"],
  [{ file: "my file.c" }, "file:'my file.c'"],
  [{ state: "state:New" }, "state:'state:New'"],
  [{ file: "+x" }, "file:'+x'"],
  ["owner:jdoe", "owner:jdoe"],
])("%j is written as %s", (terms, text) => {
  expect(SearchQuery.parse(terms)).toBe(text);
});

test.each([[{ build: "it's" }], [{ file: "two\nlines" }], [{ state: "" }], [{ owner: "jdoe" }], [{ severity: "1-3" }]])(
  "%j is refused before anything is sent",
  (terms) => {
    expect(SearchQuery.safeParse(terms).success).toBe(false);
  },
);

test("a query finds the issues of exactly that build and file, whatever the names contain", () => {
  const name = fc.string({ minLength: 1 }).filter((text) => !/['\r\n]/.test(text));
  fc.assert(
    fc.property(name, name, fc.integer({ min: 1, max: 9 }), (build, file, severity) => {
      const query = SearchQuery.parse({ build, file, state: "New", severity });
      const issue = { builds: [build], file, state: "New", severity };
      expect(matching(query)(issue)).toBe(true);
      expect(matching(query)({ ...issue, builds: [`${build}x`] })).toBe(false);
      expect(matching(query)({ ...issue, severity: severity + 1 })).toBe(false);
    }),
  );
});
