import { afterEach, expect, test, vi } from "vitest";
import { noticeProblem } from "../../src/cli/terminal/notice.ts";

afterEach(() => void vi.restoreAllMocks());

test("a problem beside the result has its hint; it is wrapped on a terminal, and one line elsewhere", () => {
  const said = (more: object) => {
    const write = vi.fn<(text: string) => boolean>();
    const stream: typeof process.stderr = Object.assign(Object.create(process.stderr), { write, ...more });
    vi.spyOn(process, "stderr", "get").mockReturnValue(stream);
    noticeProblem({
      code: "SP1017",
      message: "The page of the HTML \u001breport is missing.",
      hint: "Run npm run build.",
    });
    return write.mock.calls.join("");
  };
  expect(said({ isTTY: true, columns: 40 })).toBe(
    "SP1017  The page of the HTML\n    \\u{1b}report is missing. Run npm run\n    build.\n",
  );
  const line = "SP1017  The page of the HTML \\u{1b}report is missing. Run npm run build.\n";
  expect(said({ isTTY: false, columns: undefined })).toBe(line);
  expect(said({ isTTY: true, columns: 0 })).toBe(line);
});
