import { useState } from "preact/hooks";
import { counted, grouped } from "../../../../core/text/words.ts";
import type { PageCall, PageCalls, PageLane, PageRow } from "../../page-data.ts";
import { Link, More } from "../links.tsx";

interface CallsProps {
  readonly calls: PageCalls;
  readonly rows: readonly PageRow[];
}

/** The calls of an apply: how many of each operation, then phase by phase, with the objects of a phase side by side. */
export function CallsView({ calls: { summary, counts, phases, triggers, quotas }, rows }: CallsProps) {
  const most = Math.max(...counts.map(([, count]) => count));
  return (
    <section class="calls" aria-labelledby="calls">
      <h2 class="title" id="calls">
        Calls <span class="count">{summary}</span>
      </h2>
      <table class="bars">
        <tbody>
          {counts.map(([name, count]) => (
            <tr>
              <th scope="row">{name}</th>
              <td class="count">{grouped(count)}</td>
              <td class="bar" aria-hidden="true">
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={(100 * count) / most} height="8" />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {quotas.map(({ text, suffices }) => (
        <p>{suffices ? text : <strong>{text}</strong>}</p>
      ))}
      <ol class="phases">
        {phases.map((lanes, index) => (
          <Phase
            title={phases.length === 1 ? "Side by side" : index === 0 ? "First" : "Then"}
            lanes={lanes}
            rows={rows}
          />
        ))}
        {triggers.length > 0 && (
          <li>
            <h3>After a complete apply</h3>
            <ul class="lanes">
              {triggers.map((name) => (
                <li>{name}</li>
              ))}
            </ul>
          </li>
        )}
      </ol>
    </section>
  );
}

/** The number of lanes of a phase to show at first. */
const firstLanes = 24;

interface PhaseProps extends Pick<CallsProps, "rows"> {
  readonly title: string;
  readonly lanes: readonly PageLane[];
}

function Phase({ title, lanes, rows }: PhaseProps) {
  const [shown, setShown] = useState(firstLanes);
  return (
    <li>
      <h3>
        {title} <span class="count">{counted(lanes.length, "object")}</span>
      </h3>
      <ul class="lanes">
        {lanes.slice(0, shown).map(({ lane, calls }) => (
          <li>
            <span class="quiet">{lane}</span>
            {calls.map((call) => (
              <Call call={call} rows={rows} />
            ))}
          </li>
        ))}
      </ul>
      <More count={lanes.length - shown} onClick={() => setShown(shown + 10 * firstLanes)} />
    </li>
  );
}

/** The most resources of a call to list; the rest are counted. */
const mostCarried = 5;

function Call({ call, rows }: { readonly call: PageCall; readonly rows: readonly PageRow[] }) {
  const { name, carries, result } = call;
  const shown = carries.length <= mostCarried + 1 ? carries : carries.slice(0, mostCarried);
  return (
    <div class="call">
      <span>{name.slice(name.indexOf(".") + 1)}</span>
      {result && <span class="result"> {result}</span>}
      {carries.length > 1 && <span class="count"> {carries.length} changes in one call</span>}
      <ul>
        {shown
          .flatMap((position) => rows[position] ?? [])
          .map(({ address }) => (
            <li>
              <Link to={address} words={address.split("/").slice(1).join("/").replace("/", " ")} />
            </li>
          ))}
        {carries.length > shown.length && <li>{counted(carries.length - shown.length, "more resource")}</li>}
      </ul>
    </div>
  );
}
