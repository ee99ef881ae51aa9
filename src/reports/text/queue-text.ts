import type { QueueState } from "../../core/run/queue-state.ts";
import { counted } from "../../core/text/words.ts";
import { legend } from "../meanings.ts";
import { pad, widest } from "./layout.ts";
import { type ScreenOptions, styleOf } from "./style.ts";

const columns = [
  ["workers", "workers"],
  ["waiting", "waiting"],
  ["underWay", "under way"],
  ["done", "done"],
  ["failed", "failed"],
] as const;

/** Renders the queue as a table, with one line for each service. */
export function renderQueue(rows: readonly QueueState[], options: ScreenOptions): string {
  if (rows.length === 0) return "The queue has no jobs, and has had none yet.";
  const { paint } = styleOf(options);
  const names = Map.groupBy(rows, ({ service }) => service);
  // Versions and workspaces that describe a service differently do not share its jobs.
  const nameOf = ({ service, queue }: QueueState) => (names.get(service)?.length === 1 ? service : queue);
  const width = widest(rows, nameOf);
  const head = [" ".repeat(width), ...columns.map(([, title]) => title)].join("  ");
  const lines = rows.map((row) => {
    const cells = columns.map(([column, title]) => {
      const text = String(row[column]).padStart(title.length);
      const isWrong = (column === "failed" && row.failed > 0) || (column === "workers" && isLeft(row));
      return isWrong ? paint(legend.wrong.paint, text) : text;
    });
    return [pad(nameOf(row), width), ...cells].join("  ");
  });
  const left = rows.filter(isLeft);
  const end =
    left.length === 0 ? [] : ["", `${counted(left.length, "service")} without a worker: run setpoint worker --queue.`];
  return [paint(legend.aside.paint, head), ...lines, ...end].join("\n");
}

function isLeft({ workers, waiting }: QueueState): boolean {
  return workers === 0 && waiting > 0;
}
