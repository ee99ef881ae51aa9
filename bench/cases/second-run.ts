import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Case, Verdict } from "../harness/case.ts";
import { minus, ratio } from "../harness/statistics.ts";
import { used, workspaceFor } from "../harness/workspace.ts";

interface Twice extends Pick<Case, "name" | "title" | "how"> {
  readonly command: "plan" | "drift";
  readonly documents: number;
  /** Milliseconds that every answer takes. */
  readonly latency: number;
  readonly rounds: number;
  /** What the two runs are called. */
  readonly sides: readonly [first: string, second: string];
}

/** The same command twice, each in a process of its own, where the service has entity tags. */
function twice({ command, latency, sides: [first, second], ...size }: Twice): Case {
  const { name, title, how } = size;
  const none = { unit: "count", target: { is: "at most", value: 0 } } as const;
  return {
    name,
    title,
    how,
    async prepare(context) {
      const documents = context.isQuick ? size.documents / 10 : size.documents;
      const service = await context.fake("bench/fake/hosting.ts", "--latency", `${latency}`, "--etags", "--declared");
      const workspace = workspaceFor(context, { url: service.url, documents });
      const run = () => service.counted(async () => used(await context.setpoint([command], workspace)));
      return {
        is: "ready",
        rounds: context.isQuick ? Math.min(size.rounds, 2) : size.rounds,
        sides: [
          {
            name: first,
            run() {
              // Readings are kept below the home folder or beside the workspace.
              for (const kept of [join(context.folder, "home"), join(workspace.cwd, ".setpoint")])
                rmSync(kept, { recursive: true, force: true });
              mkdirSync(join(context.folder, "home"));
              return run();
            },
          },
          { name: second, run },
        ],
        verdicts: (of): readonly Verdict[] => [
          { what: `${first}: used of the quota`, value: of(first, "quota"), unit: "count" },
          {
            what: `${second}: answers other than 304`,
            value: minus(of(second, "requests"), of(second, "notModified")),
            ...none,
          },
          { what: `${second}: used of the quota`, value: of(second, "quota"), ...none },
          {
            what: `${second}: time, of the ${first}'s`,
            value: ratio(of(second, "wall"), of(first, "wall")),
            unit: "times",
          },
        ],
      };
    },
  };
}

/** The same plan again. */
export const secondRun: Case = twice({
  name: "second-run",
  title: "The same plan again",
  how: "`plan` of 1,000 `ActionsPermission` twice, each in a process of its own, where the service answers with entity tags, 20 ms an answer. An answer of 304 costs nothing of the quota.",
  command: "plan",
  documents: 1000,
  latency: 20,
  rounds: 3,
  sides: ["first plan", "second plan"],
});

/** What a nightly run over a large estate costs, with and without readings that the night before left. */
export const nightly: Case = twice({
  name: "nightly",
  title: "A nightly run over 50,000 repositories",
  how: "`drift` of 50,000 `ActionsPermission` on two nights, each in a process of its own, where the service answers at once and with entity tags, so that the time is setpoint's own. An answer of 304 costs nothing of the quota.",
  command: "drift",
  documents: 50_000,
  latency: 0,
  rounds: 1,
  sides: ["first night", "second night"],
});
