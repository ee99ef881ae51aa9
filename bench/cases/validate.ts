import { join } from "node:path";
import type { Case, Context } from "../harness/case.ts";
import { jsYaml } from "../harness/references.ts";
import { minus, ratio } from "../harness/statistics.ts";
import { used, type Workspace, workspaceFor } from "../harness/workspace.ts";

/** Nothing is listening there: `validate` sends nothing. */
const url = "http://127.0.0.1:9";

/** Manifests alone. */
export const validate: Case = {
  name: "validate",
  title: "Validate, 1,000 documents a file",
  how: "`validate` of small documents, against js-yaml, which parses the same files and does nothing else. The start-up is that of one document.",
  async prepare(context) {
    const scale = context.isQuick ? 10 : 1;
    const one = workspaceFor(context, { url, documents: 1 });
    const some = workspaceFor(context, { url, documents: 10_000 / scale });
    const many = workspaceFor(context, { url, documents: 100_000 / scale });
    return {
      is: "ready",
      rounds: context.isQuick ? 2 : 3,
      sides: [
        { name: "setpoint, 10,000 documents", rounds: context.isQuick ? 2 : 7, run: () => validated(context, some) },
        { name: "js-yaml, 10,000 documents", rounds: context.isQuick ? 2 : 7, run: () => parsed(context, some) },
        { name: "setpoint, 1 document", rounds: context.isQuick ? 2 : 7, run: () => validated(context, one) },
        { name: "setpoint, 100,000 documents", run: () => validated(context, many) },
        { name: "js-yaml, 100,000 documents", run: () => parsed(context, many) },
      ],
      verdicts: (of) => [
        ...["10,000 documents", "100,000 documents"].map((size) => ({
          what: `${size}, processor time of js-yaml's`,
          value: ratio(of(`setpoint, ${size}`, "processor"), of(`js-yaml, ${size}`, "processor")),
          unit: "times" as const,
          target: { is: "at most" as const, value: 3 },
        })),
        {
          what: "100,000 documents, processor time less start-up, of 10,000",
          value: ratio(
            minus(of("setpoint, 100,000 documents", "processor"), of("setpoint, 1 document", "processor")),
            minus(of("setpoint, 10,000 documents", "processor"), of("setpoint, 1 document", "processor")),
          ),
          unit: "times",
          target: { is: "at most", value: 11 },
        },
        {
          what: "100,000 documents, memory",
          value: of("setpoint, 100,000 documents", "memory"),
          unit: "bytes",
          target: { is: "at most", value: 400e6 },
        },
      ],
    };
  },
};

/** As many files as documents. */
export const manyFiles: Case = {
  name: "many-files",
  title: "Validate, 10,000 files of one document",
  how: "`validate`, against js-yaml, which parses the same files and does nothing else.",
  async prepare(context) {
    const documents = context.isQuick ? 1000 : 10_000;
    const workspace = workspaceFor(context, { url, documents, files: documents });
    return {
      is: "ready",
      rounds: context.isQuick ? 2 : 3,
      sides: [
        { name: "setpoint", run: () => validated(context, workspace) },
        { name: "js-yaml", run: () => parsed(context, workspace) },
      ],
      verdicts: (of) => [
        {
          what: "processor time",
          value: of("setpoint", "processor"),
          unit: "milliseconds",
          target: { is: "at most", value: 4000 },
        },
        {
          what: "processor time, of js-yaml's",
          value: ratio(of("setpoint", "processor"), of("js-yaml", "processor")),
          unit: "times",
        },
      ],
    };
  },
};

/** Documents as people write them: every file has what a parser of simple YAML alone could not read. */
export const byPeople: Case = {
  name: "by-people",
  title: "Validate, 10,000 documents as people write them",
  how: "`validate` of ten files, in which every tenth document has comments, escapes in double quotes, a folded scalar (`>-`) and lines that end in CRLF, against js-yaml, which parses the same files and does nothing else.",
  async prepare(context) {
    const documents = context.isQuick ? 1000 : 10_000;
    const workspace = workspaceFor(context, { url, documents, byPeople: true });
    return {
      is: "ready",
      rounds: context.isQuick ? 2 : 7,
      sides: [
        { name: "setpoint", run: () => validated(context, workspace) },
        { name: "js-yaml", run: () => parsed(context, workspace) },
      ],
      verdicts: (of) => [
        {
          what: "processor time, of js-yaml's",
          value: ratio(of("setpoint", "processor"), of("js-yaml", "processor")),
          unit: "times",
          target: { is: "at most", value: 3 },
        },
        { what: "memory", value: of("setpoint", "memory"), unit: "bytes" },
      ],
    };
  },
};

async function validated(context: Context, { cwd }: Workspace) {
  return used(await context.setpoint(["validate"], { cwd }));
}

function parsed(context: Context, { cwd }: Workspace) {
  return jsYaml(context, join(cwd, "manifests"));
}
