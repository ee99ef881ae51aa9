import { expect, test } from "vitest";
import { z } from "zod";
import { keepingAll } from "../../src/clients/table.ts";

test("fields that a record does not name are kept, at any place of its schema", () => {
  const part = z.object({ id: z.int() });
  const record = z.preprocess(
    (value) => value,
    z.object({
      list: z.array(part),
      map: z.record(z.string(), part),
      either: z.union([z.string(), part]),
      maybe: part.nullish(),
      usually: part.default({ id: 0 }),
    }),
  );
  const sent = { id: 1, more: true };
  const answer = { list: [sent], map: { a: sent }, either: sent, maybe: sent, usually: sent, more: [1] };
  expect(keepingAll(record).parse(answer)).toEqual(answer);
  expect(record.parse(answer)).not.toEqual(answer);
});

test("the record's rules for its own fields still apply", () => {
  const loose = keepingAll(
    z.object({ at: z.string().min(1).transform(Number) }).refine(({ at }) => at > 1, "too small"),
  );
  expect(loose.parse({ at: "2", more: 1 })).toEqual({ at: 2, more: 1 });
  expect([{ at: "1" }, { at: "" }, {}].map((answer) => loose.safeParse(answer).success)).toEqual([false, false, false]);
  expect(keepingAll(z.strictObject({})).safeParse({ more: 1 }).success).toBe(false);
});
