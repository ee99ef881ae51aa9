import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted, grouped } from "../../../core/text/words.ts";
import type { PageData } from "../page-data.ts";
import { findEntries, type ListLine, pageEntries, tableLines } from "./entries.ts";
import { useHash, useKeys, useMatches } from "./hooks.ts";
import { Button } from "./links.tsx";
import { everything, isUnfiltered } from "./query.ts";
import { CallsView } from "./views/calls-view.tsx";
import { Chart } from "./views/chart.tsx";
import { Help, showHelp } from "./views/help.tsx";
import { ListView } from "./views/list-view.tsx";
import { MapView } from "./views/map-view.tsx";
import { NotesView } from "./views/notes-view.tsx";
import { RowView } from "./views/row-view.tsx";
import { Numbers, Sidebar } from "./views/sidebar.tsx";

/** If there are at most this many rows, they are open from the start. */
const openRows = 30;

/** Matches a screen that is wide enough for two columns of text next to the filters. */
const twoColumns = "(min-width: 72rem)";

export function App({ data, isPrinted }: { readonly data: PageData; readonly isPrinted: boolean }) {
  const [query, setQuery] = useHash();
  const entries = useMemo(() => pageEntries(data), [data]);
  const whole = useMemo(() => findEntries(entries, everything), [entries]);
  const found = useMemo(() => (isUnfiltered(query) ? whole : findEntries(entries, query)), [entries, whole, query]);
  const lines = useMemo(() => tableLines(data, found.entries, entries, query), [data, found, entries, query]);
  const map = useMemo(() => {
    const marked = found === whole ? undefined : new Set(found.entries);
    return <MapView data={data} entries={entries} found={marked} />;
  }, [data, entries, found, whole]);
  const opened = useOpened(data.rows.length <= openRows);
  const [sideBySide, setSideBySide] = useState(() => matchMedia(twoColumns).matches);
  const isWide = useMatches("(min-width: 48rem)");
  const goTo = useRef((_index: number) => {});

  useEffect(() => {
    const index = lines.findIndex((line) => line.is === "entry" && line.entry.address === query.at);
    const line = lines[index];
    if (line?.is !== "entry") return;
    opened.open(line.entry.id);
    goTo.current(index);
  }, [query]);

  const move = (step: 1 | -1) => {
    const focused = document.activeElement?.closest<HTMLElement>("[data-index]")?.dataset.index;
    let at = Number(focused ?? (step === 1 ? -1 : lines.length));
    do at += step;
    while (lines[at]?.is === "heading");
    if (lines[at] !== undefined) goTo.current(at);
  };
  useKeys({ j: () => move(1), k: () => move(-1), "?": showHelp, Escape: () => setQuery(everything) });

  const filters = { query, found, whole, onQuery: setQuery };
  const isCalm = data.isCalm && isUnfiltered(query) && query.at === undefined;
  if (isCalm)
    return (
      <>
        <Header data={data} />
        <main>
          <details>
            <summary>All resources</summary>
            {map}
          </details>
        </main>
        <Help />
      </>
    );

  const hasTexts = data.rows.some(({ fields }) => fields.some((field) => field.lines !== undefined));
  const total = counted(entries.length, "resource");
  const render = (line: ListLine) =>
    line.is === "heading" ? (
      <h2 class="title">
        {line.title} <span class="count">{grouped(line.count)}</span>
      </h2>
    ) : (
      <RowView
        entry={line.entry}
        isOpen={isPrinted || opened.has(line.entry.id)}
        sideBySide={sideBySide && !isPrinted}
        data={data}
        isLinked={line.entry.address === query.at}
        onToggle={() => opened.toggle(line.entry.id)}
      />
    );

  return (
    <>
      <Header data={data}>
        <Numbers {...filters} />
      </Header>
      <div class="columns">
        <aside aria-label="Search and filters">
          {isWide ? (
            <Sidebar {...filters} />
          ) : (
            <details id="filters">
              <summary>Search and filter</summary>
              <Sidebar {...filters} />
            </details>
          )}
        </aside>
        <main>
          <NotesView notes={data.notes} />
          {map}
          <div class="tools">
            <span role="status">{isUnfiltered(query) ? total : `${grouped(found.entries.length)} of ${total}`}</span>
            <Button onClick={() => opened.all(true)}>open all</Button>
            <Button onClick={() => opened.all(false)}>close all</Button>
            {hasTexts && (
              <Button aria-pressed={sideBySide} onClick={() => setSideBySide(!sideBySide)}>
                texts side by side
              </Button>
            )}
            {data.calls.summary && (
              <Button onClick={() => document.querySelector("#calls")?.scrollIntoView()}>to the calls</Button>
            )}
          </div>
          <ListView lines={lines} isWhole={isPrinted} goTo={goTo} render={render} />
          {data.calls.summary && <CallsView calls={data.calls} rows={data.rows} />}
          <Rest data={data} />
        </main>
      </div>
      <Help />
    </>
  );
}

/** Tracks which rows are open: all or none at the start, except those that were toggled. */
function useOpened(from: boolean) {
  const [isOpen, setOpen] = useState(from);
  const [others, setOthers] = useState<ReadonlySet<number>>(new Set());
  const has = (id: number) => others.has(id) !== isOpen;
  const toggle = (id: number) =>
    setOthers((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  return {
    has,
    toggle,
    open: (id: number) => {
      if (!has(id)) toggle(id);
    },
    all: (to: boolean) => {
      setOpen(to);
      setOthers(new Set());
    },
  };
}

function Header({ data, children }: { readonly data: PageData; readonly children?: ComponentChildren }) {
  const { title, when, facts, sentence, isCalm, history, since } = data;
  return (
    <header>
      <div class="top">
        <p>
          <strong>{title}</strong> <span class="quiet">{[when, ...facts].join(" · ")}</span>
        </p>
        <span class="buttons">
          <ThemeButton />
          <Button onClick={showHelp} aria-label="Keys">
            ?
          </Button>
        </span>
      </div>
      <h1 class={isCalm ? "well" : ""}>{sentence}</h1>
      {children}
      <Chart history={history} since={since} />
    </header>
  );
}

/** What is not a difference: ignored fields, and objects that no manifest declares. */
function Rest({ data: { ignored, unmanaged } }: { readonly data: PageData }) {
  return (
    <>
      {ignored.length > 0 && (
        <section class="rest" aria-labelledby="muted">
          <h2 class="title" id="muted">
            Differs, but its manifest ignores it <span class="count">{grouped(ignored.length)}</span>
          </h2>
          <ul>
            {ignored.map(({ address, field }) => (
              <li>
                <code>{address}</code> {field}
              </li>
            ))}
          </ul>
        </section>
      )}
      {unmanaged.length > 0 && (
        <details class="rest">
          <summary>
            Live, but declared nowhere <span class="count">{grouped(unmanaged.length)}</span>
          </summary>
          <ul>
            {unmanaged.map((address) => (
              <li>
                <code>{address}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const key = "setpoint-theme";
type Theme = "light" | "dark";

/** Switches between light and dark. The system decides until the user does. */
function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(initial);
  document.documentElement.style.setProperty("--scheme", theme);
  const other = theme === "dark" ? "light" : "dark";
  const change = () => {
    setTheme(other);
    try {
      localStorage.setItem(key, other);
    } catch {
      // A page in a sandboxed frame is not allowed to. The choice then lasts as long as the page is open.
    }
  };
  return (
    <Button onClick={change} aria-label={`Theme: change to ${other}`}>
      {other}
    </Button>
  );
}

function initial(): Theme {
  try {
    const stored = localStorage.getItem(key);
    if (stored === "light" || stored === "dark") return stored;
  } catch {
    // As above.
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
