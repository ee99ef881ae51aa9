import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { isConfirmed, missingTerminal } from "../../src/cli/terminal/confirm.ts";

/** The questions asked and the result, for the given lines of input. */
async function asked(...answers: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  // Each answer is sent only after its question has been asked.
  let next = 0;
  const said = new PassThrough();
  output.on("data", (part: Buffer) => {
    said.write(part);
    if (!part.toString().endsWith(": ")) return;
    const answer = answers[next++];
    if (answer === undefined) input.end();
    else input.write(`${answer}\n`);
  });
  const confirmed = await isConfirmed("Apply?", new AbortController().signal, { input, output });
  said.end();
  return { confirmed, said: (await text(said)).replaceAll("\r", "") };
}

test.each([
  [["yes"], true, 'Apply? Only "yes" is a yes: '],
  [["no"], false, 'Apply? Only "yes" is a yes: '],
  [[""], false, 'Apply? Only "yes" is a yes: '],
  [["y", "yes"], true, 'Apply? Only "yes" is a yes: "y" is not "yes". Write yes in full, or no: '],
  [["Yes", "n"], false, 'Apply? Only "yes" is a yes: "Yes" is not "yes". Write yes in full, or no: '],
  [["y"], false, 'Apply? Only "yes" is a yes: "y" is not "yes". Write yes in full, or no: \n'],
  [["maybe"], false, 'Apply? Only "yes" is a yes: "maybe" is taken as a no.\n'],
])("the answers %j confirm the question: %j", async (answers, confirmed, said) => {
  expect(await asked(...answers)).toEqual({ confirmed, said });
});

test("a question that --json rules out is not blamed on the terminal", () => {
  expect(missingTerminal("adopt", true)?.message).toBe("adopt asks before it writes, and with --json it cannot.");
});
