import { readFile } from "node:fs/promises";
import { ProblemError } from "../../core/problem.ts";
import { installed } from "../installed.ts";

const file = installed("dist/page/shell.html");

/** Reads the page that reports are put into. The build makes it, as does `npm ci` in a checkout. */
export async function readShell(from: URL = file): Promise<string> {
  try {
    return await readFile(from, "utf8");
  } catch {
    throw new ProblemError({
      code: "SP1017",
      message: "The page of the HTML report is missing: dist/page/shell.html of setpoint.",
      hint: "In a checkout, run npm run build. In an installed package, install it again.",
    });
  }
}
