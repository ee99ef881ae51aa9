import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { situation } from "../support/generate.ts";
import { openDirectLab } from "../support/lab.ts";
import { type Declared, lawRuns } from "../support/worlds/parts.ts";

/** Matches reasons why a field cannot be adopted in any manifest; SP1002 and SP1003 mean a state that the kind cannot express. */
const reasons =
  /is declared, but the service does not have it|is declared absent, but the service has it|cannot describe the service's state|^deliver: The secret is not where the manifest says|invalid with the live value. SP100[23]/;

/** Different styles of writing a document. Each ends with a line break. */
const styles: readonly ((declared: Declared) => string)[] = [
  ({ kind, spec, metadata }) => `${JSON.stringify({ kind, metadata, spec })}\n`,
  (declared) => `${JSON.stringify(declared, null, 2)}\n`,
  (declared) => yaml(declared, {}),
  (declared) => yaml(declared, { defaultStringType: "QUOTE_SINGLE", defaultKeyType: "PLAIN" }),
  (declared) => yaml(declared, { collectionStyle: "flow", flowCollectionPadding: false }),
  (declared) => yaml(declared, { defaultStringType: "QUOTE_DOUBLE", indent: 4, indentSeq: false }),
  (declared) => commented(yaml(declared, { blockQuote: false })),
];

function yaml(declared: Declared, options: Parameters<typeof stringify>[2] & object): string {
  const escaped = JSON.parse(JSON.stringify(declared).replaceAll("${", "$$${"));
  return stringify(escaped, { lineWidth: 0, aliasDuplicateObjects: false, ...options });
}

/** Adds a comment above each line of the document and of its specification. */
function commented(text: string): string {
  return text.replace(/^ {0,2}(?=\w)/gm, (indent, at: number) => `${indent}# keep ${at}\n${indent}`);
}

const styled = situation.chain(({ world, now }) =>
  fc
    .tuple(fc.array(fc.nat({ max: styles.length - 1 }), { minLength: now.length, maxLength: now.length }), fc.boolean())
    .map(([chosen, isCrLf]) => {
      const documents = now.map((declared, index) => styles[chosen[index] ?? 0]?.(declared) ?? "");
      return { world, documents: isCrLf ? documents.map((text) => text.replaceAll("\n", "\r\n")) : documents, isCrLf };
    }),
);

test("adopted fields no longer differ, and everything else stays byte for byte", async () => {
  await fc.assert(
    fc.asyncProperty(styled, async ({ world, documents, isCrLf }) => {
      await using lab = await openDirectLab({ world });
      const rule = isCrLf ? "---\r\n" : "---\n";
      const text = documents.join(rule);
      const drift = await lab.plan({ now: text, base: text });
      const { files, adopted, refusals } = await lab.adopt(text);
      expect(refusals.filter(({ message }) => !reasons.test(message))).toEqual([]);
      const after = files[0]?.after ?? text;
      const again = await lab.plan({ now: after, base: after });

      const fields = new Map(adopted.map((one) => [one.address, one.fields]));
      const left = again.changes.flatMap(({ address, fields: moved }) =>
        moved.filter(({ path: [name = ""] }) => fields.get(address)?.includes(name)),
      );
      expect(left).toEqual([]);
      const refused = new Set(refusals.map(({ address = "" }) => address));
      expect(drift.changes.filter(({ address }) => !fields.has(address) && !refused.has(address))).toEqual([]);
      expect(again.changes.filter(({ address }) => fields.has(address) && !refused.has(address))).toEqual([]);

      const changed = documents.filter((before, index) => after.split(rule)[index] !== before);
      expect(changed.length).toBeLessThanOrEqual(adopted.length);
      for (const [comment] of text.matchAll(/# keep.*$/gm)) expect(after).toContain(comment);
      if (isCrLf) expect(after).not.toMatch(/(?<!\r)\n/);
      expect(lab.sandbox.requests().filter(({ effect }) => effect === "write")).toEqual([]);
    }),
    { numRuns: Math.max(2, Math.ceil(lawRuns / 5)) },
  );
});
