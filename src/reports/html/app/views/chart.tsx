import type { PageRun } from "../../page-data.ts";

const width = 11;
const height = 40;

/** What was not as desired, with one bar for each run, the newest on the right. */
export function Chart({ runs, since }: { readonly runs: readonly PageRun[]; readonly since: string | undefined }) {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return null;
  const most = Math.max(1, ...runs.map(({ counts }) => counts.drift + counts.conflict + counts.unknown));
  const words = `Drift over ${runs.length} ${runs.length === 1 ? "run" : "runs"}`;
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${runs.length * width} ${height}`}
        preserveAspectRatio="xMinYMax meet"
        role="img"
        aria-label={`${words}; at most ${most} at a time, ${last.counts.drift + last.counts.conflict} in the last one`}
      >
        {runs.map(({ at, counts }, index) => (
          <Bar key={index} left={index * width} at={at} counts={counts} most={most} />
        ))}
      </svg>
      <figcaption>
        {words}, from {first.at.split(",")[0]}
        {since === undefined ? "" : `; ${since}`}
      </figcaption>
    </figure>
  );
}

function Bar({ left, at, counts, most }: PageRun & { readonly left: number; readonly most: number }) {
  const { drift, conflict, unknown } = counts;
  const scale = (count: number) => (count * (height - 2)) / most;
  const [moved, unread] = [scale(drift + conflict), scale(unknown)];
  return (
    <g>
      <title>{`${at}: ${drift} drift, ${conflict} conflict, ${unknown} unknown`}</title>
      <rect class="base" x={left} y={height - 1} width={width - 1} height="1" />
      <rect class="drift" x={left} y={height - 1 - moved} width={width - 1} height={moved} />
      <rect class="unknown" x={left} y={height - 1 - moved - unread} width={width - 1} height={unread} />
    </g>
  );
}
