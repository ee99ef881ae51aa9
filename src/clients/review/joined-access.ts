import DataLoader from "dataloader";
import { hasOnly, type Problem } from "../../core/problem.ts";
import { type JsonObject, own } from "../../core/text/json.ts";
import type { SendCall } from "../service.ts";
import type { ProjectAccess } from "./access.ts";
import { reviewOperations } from "./operations.ts";

/** The most projects, and characters of their names, in one request: its line stays below the 8 KiB that servers commonly allow. */
const largestBatch = 25;
const longestNames = 6000;

/** The problems of a server without the bulk read, or of one that fails on one of the projects. */
const noBulk = ["SP3004", "SP3005", "SP3007", "SP3009", "SP3103"] as const;

/** Whether the service itself is down, so that single reads would fail too. A project that it cannot read is a 500. */
const isOutage = ({ code, message }: Problem) => code === "SP3009" && !message.startsWith("The service answered 500");

/** Joins the reads of several projects' access that are requested in one tick. @see docs/facts.md, review */
export function joinedAccess(call: SendCall<"getProjectAccess" | "listAccess">) {
  const single = (projectName: string) => call("getProjectAccess", { projectName }).catch((error: Error) => error);
  const each = (names: readonly string[]) => Promise.all(names.map(single));

  async function load(names: readonly string[]): Promise<readonly unknown[]> {
    if (names.length === 1) return each(names);
    // Encoded here and once more in the query: the server decodes the value as a query, and then as an id.
    const project = names.map(encodeURIComponent);
    if (project.map(encodeURIComponent).join().length > longestNames) {
      const half = names.length / 2;
      return (await Promise.all([load(names.slice(0, half)), load(names.slice(half))])).flat();
    }
    try {
      const answer = reviewOperations.listAccess.result.parse(await call("listAccess", { project }));
      return Promise.all(names.map((name) => accessOf(answer, name) ?? single(name)));
    } catch (error) {
      if (!hasOnly(error, ...noBulk) || error.problems.some(isOutage)) throw error;
      // The refusal names the project that does not exist. It is read alone, and the others without it.
      const named = names.find((name) => error.problems.every(({ message }) => message.includes(`: ${name}.`)));
      if (named === undefined) return each(names);
      const others = names.filter((name) => name !== named);
      const [[alone], rest] = await Promise.all([each([named]), load(others)]);
      const found = new Map(rest.map((access, index) => [others[index], access]));
      return names.map((name) => (name === named ? alone : found.get(name)));
    }
  }

  const loader = new DataLoader<string, unknown>(load, { maxBatchSize: largestBatch });
  return { getProjectAccess: (args: JsonObject) => loader.load(String(args.projectName)) };
}

/** Servers use different keys: the plain name, or the name as it was in the query, encoded once. */
function accessOf(answer: Readonly<Record<string, ProjectAccess>>, name: string): ProjectAccess | undefined {
  return own(answer, encodeURIComponent(name)) ?? own(answer, name);
}
