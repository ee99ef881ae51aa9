import { expect, test } from "vitest";
import { kindDocs } from "../../scripts/generate/docs.ts";
import { rule, sign } from "./fake-kinds.ts";

const files = kindDocs([rule, sign], (kind) => (kind === "Sign" ? "kind: Sign\n" : undefined));

function textOf(path: string): string | undefined {
  return files.find((file) => file.path === path)?.text;
}

test("a kind's page has its fields, budget, notes and example", () => {
  expect(textOf("docs/kinds/Sign.md")).toMatchInlineSnapshot(`
    "<!-- Derived by scripts/generate.ts: do not edit. -->

    # Sign

    A sign | with a pipe.

    - Service: \`wiki\`
    - Reads: 1 getPage per page
    - Writes: 1 updatePage per page

    ## Fields

    What a manifest leaves out is not managed, unless the field has a default.

    | Field | Type |  | What it says |
    | --- | --- | --- | --- |
    | \`name\` | text | required | What it says. |
    | \`color\` | \`red\`, \`green\` | default \`red\` | How it looks. |
    | \`height\` | whole number | optional | In metres. |
    | \`lit\` | true, false | optional |  |
    | \`password\` | reference to a secret: \`\${env:NAME}\`, \`\${file:path}\` | optional | Opens the box. |
    | \`words\` | list of text | optional |  |
    | \`parts\` | list of mappings | optional |  |
    | \`parts[].material\` | text | required |  |
    | \`labels\` | mapping to text | optional |  |
    | \`place\` | text or mapping | optional |  |
    | \`place.street\` | text | required |  |

    ## Notes

    Signs are read from left to right.

    ## Example

    \`\`\`yaml
    kind: Sign
    \`\`\`
    "
  `);
});

test("the page of a kind without writes says that it is only checked, and that of a permanent kind that it stays", () => {
  expect(textOf("docs/kinds/Rule.md")).toMatchInlineSnapshot(`
    "<!-- Derived by scripts/generate.ts: do not edit. -->

    # Rule

    A rule.

    - Service: \`wiki\`
    - Reads: 1 getPage per page
    - Writes: none. It is only checked: a difference needs a person.
    - It always exists: what leaves the manifests is no longer managed, and it cannot be declared absent.

    ## Fields

    What a manifest leaves out is not managed, unless the field has a default.

    | Field | Type |  | What it says |
    | --- | --- | --- | --- |
    | \`text\` | text | required |  |
    "
  `);
});

test("the list links to every kind", () => {
  expect(textOf("docs/kinds/README.md")).toMatchInlineSnapshot(`
    "<!-- Derived by scripts/generate.ts: do not edit. -->

    # Kinds

    What manifests can declare, and the requests that each kind costs.

    | Kind | Service | What it is | Reads | Writes |
    | --- | --- | --- | --- | --- |
    | [Rule](Rule.md) | \`wiki\` | A rule. | 1 getPage per page | none: it is only checked |
    | [Sign](Sign.md) | \`wiki\` | A sign \\| with a pipe. | 1 getPage per page | 1 updatePage per page |
    "
  `);
});
