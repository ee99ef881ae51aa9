import fc from "fast-check";
import { expect, test } from "vitest";
import { namePattern } from "../../src/core/text/glob.ts";
import { readDocument } from "../../src/core/text/xml.ts";
import { anyCharacter } from "../support/any-character.ts";

test("a pattern of any characters is not an error", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (pattern, name) => {
      namePattern([pattern])(name);
      expect(namePattern([pattern], "")(pattern)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("half a megabyte of XML is read in time proportional to its length", () => {
  const hard = ["<a ", "<a b='", "<!--", "<![CDATA[", "&", "<a b='1' ", "</a", "&amp;", "x\r", "]", "<!DOCTYPE a ["];
  for (const part of hard) expect(readDocument(`<a>${part.repeat(500_000 / part.length)}`).is).toBe("malformed");
});
