import { counted } from "../../../../core/text/words.ts";
import type { PageData } from "../../page-data.ts";

const width = 11;
const height = 40;

/** What was not as desired, with one bar for each run, the newest on the right. */
export function Chart({ history, since }: Pick<PageData, "history" | "since">) {
  const [first] = history;
  if (first === undefined) return null;
  const bars = history.map(({ at, counts: { drift, conflict, unknown } }) => ({
    title: `${at}: ${drift} drift, ${conflict} conflict, ${unknown} unknown`,
    moved: drift + conflict,
    unknown,
  }));
  const most = Math.max(1, ...bars.map(({ moved, unknown }) => moved + unknown));
  const mostMoved = Math.max(...bars.map(({ moved }) => moved));
  const scale = (count: number) => (count * (height - 2)) / most;
  const words = `Drift over ${counted(history.length, "run")}`;
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${history.length * width} ${height}`}
        preserveAspectRatio="xMinYMax meet"
        role="img"
        aria-label={`${words}; at most ${mostMoved} at a time, ${bars.at(-1)?.moved} in the last one`}
      >
        {bars.map(({ title, moved, unknown }, index) => {
          const [low, high] = [scale(moved), scale(unknown)];
          const bar = { x: index * width, width: width - 1 };
          return (
            <g>
              <title>{title}</title>
              <rect fill="var(--sync)" {...bar} y={height - 1} height="1" />
              <rect fill="var(--drift)" {...bar} y={height - 1 - low} height={low} />
              <rect fill="var(--unknown)" {...bar} y={height - 1 - low - high} height={high} />
            </g>
          );
        })}
      </svg>
      <figcaption>
        {words}, from {first.at.split(",")[0]}
        {since && `; ${since}`}
      </figcaption>
    </figure>
  );
}
