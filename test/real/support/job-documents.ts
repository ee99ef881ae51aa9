import fc from "fast-check";

/** Texts that XML, or a reader of lines, could change. This server loses characters outside the basic plane. */
const texts = [
  ...["", "x", " x ", "a\nb", "a\r\nb", "\n", " ", "\t", "a\n\n  b\n", "line\n", "\nline", "ü & <b>", "a]]>b"],
  ...["'\"", "\u00a0", "\u0085x", "a\u2028b", "0", "false", "********x", "-- x --", "# H\n0 4 * * *"],
];
const escaped = (text: string) => text.replace(/[&<>\r\u0085]/g, (character) => `&#${character.codePointAt(0)};`);
const written = fc
  .tuple(fc.constantFrom(...texts), fc.boolean())
  .map(([text, isCdata]) => (isCdata && !/\]\]>|[\r\u0085]/.test(text) ? `<![CDATA[${text}]]>` : escaped(text)));

function optional(element: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.option(element, { nil: "" });
}

function field(name: string, content: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return optional(content.map((text) => `<${name}>${text}</${name}>`));
}

const flag = fc.constantFrom("true", "false");
const parameters = fc.array(
  fc.oneof(
    fc
      .tuple(field("description", written), field("defaultValue", written))
      .map((fields) => ["hudson.model.StringParameterDefinition", `<name>P</name>${fields.join("")}`]),
    flag.map((value) => [
      "hudson.model.BooleanParameterDefinition",
      `<name>B</name><defaultValue>${value}</defaultValue>`,
    ]),
    fc
      .array(written, { minLength: 1, maxLength: 3 })
      .map((choices) => [
        "hudson.model.ChoiceParameterDefinition",
        `<name>C</name><choices class="java.util.Arrays$ArrayList"><a class="string-array">${choices.map((choice) => `<string>${choice}</string>`).join("")}</a></choices>`,
      ]),
  ),
  { maxLength: 3 },
);
const steps = fc.array(
  fc
    .tuple(fc.constantFrom("hudson.tasks.Shell", "hudson.tasks.BatchFile"), written)
    .map(([name, command]) => `<${name}>\n   <command>${command}</command>\n  </${name}>`),
  { maxLength: 3 },
);
const property = "hudson.model.ParametersDefinitionProperty";
const fields = fc.tuple(
  field("description", written),
  ...["keepDependencies", "canRoam", "disabled", "concurrentBuild"].map((name) => field(name, flag)),
  ...["blockBuildWhenDownstreamBuilding", "blockBuildWhenUpstreamBuilding"].map((name) => field(name, flag)),
  optional(fc.constantFrom('<scm class="hudson.scm.NullSCM"/>', "<scm class='hudson.scm.NullSCM'></scm>")),
  field(
    "builders",
    steps.map((all) => all.join("\n    ")),
  ),
  field(
    "properties",
    parameters.map((all) => {
      const definitions = all.map(([name, content]) => `<${name}>${content}</${name}>`).join("\n");
      return all.length === 0
        ? ""
        : `<${property}><parameterDefinitions>${definitions}</parameterDefinitions></${property}>`;
    }),
  ),
);

/** Configurations of a job as people write them: with fields left out, in any order, and texts in any form. */
export const jobDocument: fc.Arbitrary<string> = fc
  .tuple(
    fields.chain((all) => fc.shuffledSubarray([...all], { minLength: all.length })),
    fc.constantFrom("", "<?xml version='1.0' encoding='UTF-8'?>\n"),
    fc.constantFrom("", "\n  "),
  )
  .map(([all, declaration, space]) => `${declaration}<project>${space}${all.join(space)}\n</project>`);
