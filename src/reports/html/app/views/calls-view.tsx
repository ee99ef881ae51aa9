import { useState } from "preact/hooks";
import { counted, grouped } from "../../../../core/text/words.ts";
import type { PageCall, PageCalls, PageLane, PageRow } from "../../page-data.ts";

interface CallsProps {
  readonly calls: PageCalls;
  readonly rows: readonly PageRow[];
  onGo(address: string): void;
}

/** The calls of an apply: how many of each operation, then phase by phase, with the objects of a phase side by side. */
export function CallsView({ calls, rows, onGo }: CallsProps) {
  const { summary, counts, phases, triggers, quotas } = calls;
  const most = Math.max(...counts.map(([, count]) => count));
  return (
    <section class="calls" aria-labelledby="calls">
      <h2 class="title" id="calls">
        Calls <span class="count">{summary}</span>
      </h2>
      <table class="bars">
        <tbody>
          {counts.map(([name, count]) => (
            <tr key={name}>
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
        <p key={text}>{suffices ? text : <strong>{text}</strong>}</p>
      ))}
      <ol class="phases">
        {phases.map((lanes, index) => (
          <li key={index}>
            <Phase
              title={phases.length === 1 ? "Side by side" : index === 0 ? "First" : "Then"}
              lanes={lanes}
              rows={rows}
              onGo={onGo}
            />
          </li>
        ))}
        {triggers.length === 0 ? null : (
          <li>
            <h3>After a complete apply</h3>
            <ul class="lanes">
              {triggers.map((name) => (
                <li key={name}>{name}</li>
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

interface PhaseProps extends Pick<CallsProps, "rows" | "onGo"> {
  readonly title: string;
  readonly lanes: readonly PageLane[];
}

function Phase({ title, lanes, rows, onGo }: PhaseProps) {
  const [shown, setShown] = useState(firstLanes);
  const more = lanes.length - shown;
  return (
    <>
      <h3>
        {title} <span class="count">{counted(lanes.length, "object")}</span>
      </h3>
      <ul class="lanes">
        {lanes.slice(0, shown).map(({ lane, calls }) => (
          <li key={lane}>
            <span class="lane">{lane}</span>
            {calls.map((call, index) => (
              <Call key={index} call={call} rows={rows} onGo={onGo} />
            ))}
          </li>
        ))}
      </ul>
      {more > 0 ? (
        <button type="button" class="link" onClick={() => setShown(shown + 10 * firstLanes)}>
          {grouped(more)} more
        </button>
      ) : null}
    </>
  );
}

/** The most resources of a call to list; the rest are counted. */
const mostCarried = 5;

interface CallProps extends Pick<CallsProps, "rows" | "onGo"> {
  readonly call: PageCall;
}

function Call({ call: { name, carries: positions, result }, rows, onGo }: CallProps) {
  const carries = positions.flatMap((position) => rows[position]?.address ?? []);
  const shown = carries.length <= mostCarried + 1 ? carries : carries.slice(0, mostCarried);
  return (
    <div class="call">
      <span class="operation">{name.slice(name.indexOf(".") + 1)}</span>
      {result === undefined ? null : <span class="result"> {result}</span>}
      {carries.length > 1 ? <span class="count"> {carries.length} changes in one call</span> : null}
      <ul>
        {shown.map((address) => (
          <li key={address}>
            <button type="button" class="link" onClick={() => onGo(address)}>
              {address.split("/").slice(1).join("/").replace("/", " ")}
            </button>
          </li>
        ))}
        {carries.length > shown.length ? <li>{counted(carries.length - shown.length, "more resource")}</li> : null}
      </ul>
    </div>
  );
}
