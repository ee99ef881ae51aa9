import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { grouped } from "../../../core/text/words.ts";
import type { PageData } from "../page-data.ts";
import { findEntries, type ListLine, type PageEntry, pageEntries, tableLines } from "./entries.ts";
import { listenToKeys } from "./keys.ts";
import { Numbers } from "./numbers.tsx";
import { everything, isUnfiltered, type PageQuery } from "./query.ts";
import { ThemeButton } from "./theme.tsx";
import { useHash } from "./use-hash.ts";
import { useMatches } from "./use-matches.ts";
import { CallsView } from "./views/calls-view.tsx";
import { Chart } from "./views/chart.tsx";
import { Help } from "./views/help.tsx";
import { type ListHandle, ListView } from "./views/list-view.tsx";
import { MapView } from "./views/map-view.tsx";
import { NotesView } from "./views/notes-view.tsx";
import { RowView } from "./views/row-view.tsx";
import { Sidebar } from "./views/sidebar.tsx";

/** If there are at most this many rows, they are open from the start. */
const openRows = 30;

/** Matches a screen that is wide enough for two columns of text next to the filters. */
const twoColumns = "(min-width: 72rem)";

/** The whole page. */
export function App({ data, isPrinted }: { readonly data: PageData; readonly isPrinted: boolean }) {
  const [query, setQuery] = useHash();
  const entries = useMemo(() => pageEntries(data), [data]);
  const whole = useMemo(() => findEntries(entries, everything), [entries]);
  const found = useMemo(() => (isUnfiltered(query) ? whole : findEntries(entries, query)), [entries, whole, query]);
  const lines = useMemo(() => tableLines(data, found.entries, entries, query), [data, found, entries, query]);
  const marked = useMemo(() => (found === whole ? undefined : new Set(found.entries)), [found, whole]);
  const opened = useOpened(data.rows.length <= openRows);
  const [sideBySide, setSideBySide] = useState(() => matchMedia(twoColumns).matches);
  const isWide = useMatches("(min-width: 48rem)");
  const list = useRef<ListHandle | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);

  const goTo = (id: number) => {
    const index = lines.findIndex((line) => line.is === "entry" && line.entry.id === id);
    if (index >= 0) list.current?.goTo(index);
  };
  const go = (address: string) => setQuery({ ...query, at: address });

  useEffect(() => {
    const linked = entries.find(({ address }) => address === query.at);
    if (linked === undefined) return;
    opened.open(linked.id);
    goTo(linked.id);
  }, [query.at]);

  useEffect(() =>
    listenToKeys({
      move(step) {
        const ids = lines.flatMap((line) => (line.is === "entry" ? [line.entry.id] : []));
        const focused = document.activeElement
          ?.closest<HTMLElement>("article")
          ?.querySelector<HTMLElement>("[data-row]");
        const at = ids.indexOf(Number(focused?.dataset.row ?? -1));
        const next = ids[at === -1 ? (step > 0 ? 0 : -1) : at + step];
        if (next !== undefined) goTo(next);
      },
      help: () => dialog.current?.showModal(),
      clear: () => setQuery(everything),
    }),
  );

  const hasTexts = useMemo(
    () => data.rows.some(({ fields }) => fields.some(({ lines }) => lines !== undefined)),
    [data],
  );
  const isCalm = data.isCalm && isUnfiltered(query) && query.at === undefined;
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
        mutedUntil={data.mutedUntil}
        isLinked={line.entry.address === query.at}
        onToggle={() => opened.toggle(line.entry.id)}
        onGo={go}
      />
    );

  return (
    <>
      <Header data={data} onHelp={() => dialog.current?.showModal()}>
        {isCalm ? null : <Numbers query={query} found={found} everything={whole} onQuery={setQuery} />}
      </Header>
      <div class={isCalm ? "calm" : "columns"}>
        {isCalm ? null : (
          <aside aria-label="Search and filters">
            {isWide ? (
              <Sidebar query={query} found={found} everything={whole} onQuery={setQuery} />
            ) : (
              <details id="filters">
                <summary>Search and filter</summary>
                <Sidebar query={query} found={found} everything={whole} onQuery={setQuery} />
              </details>
            )}
          </aside>
        )}
        <main>
          {isCalm ? (
            <details class="folded">
              <summary>All resources</summary>
              <MapView data={data} entries={entries} found={marked} onGo={go} />
            </details>
          ) : (
            <>
              <NotesView notes={data.notes} onGo={go} />
              <MapView data={data} entries={entries} found={marked} onGo={go} />
              <div class="tools">
                <span role="status">{foundWords(found.entries, entries, query)}</span>
                <button type="button" onClick={() => opened.all(true)}>
                  open all
                </button>
                <button type="button" onClick={() => opened.all(false)}>
                  close all
                </button>
                {hasTexts ? (
                  <button type="button" aria-pressed={sideBySide} onClick={() => setSideBySide(!sideBySide)}>
                    texts side by side
                  </button>
                ) : null}
                {data.calls.summary === "" ? null : (
                  <button type="button" onClick={() => document.querySelector("#calls")?.scrollIntoView()}>
                    to the calls
                  </button>
                )}
              </div>
              <ListView lines={lines} isWhole={isPrinted} handle={list} render={render} />
              {data.calls.phases.length === 0 ? null : <CallsView calls={data.calls} rows={data.rows} onGo={go} />}
              <Rest data={data} />
            </>
          )}
        </main>
      </div>
      <Help dialog={dialog} />
    </>
  );
}

function foundWords(found: readonly PageEntry[], all: readonly PageEntry[], query: PageQuery): string {
  const total = grouped(all.length);
  return isUnfiltered(query) ? `${total} resources` : `${grouped(found.length)} of ${total} resources`;
}

/** Tracks which rows are open: all or none at the start, except those that were toggled. */
function useOpened(from: boolean) {
  type Opened = { readonly from: boolean; readonly others: ReadonlySet<number> };
  const [{ from: isOpen, others }, set] = useReducer((state: Opened, next: (state: Opened) => Opened) => next(state), {
    from,
    others: new Set<number>(),
  });
  const has = (id: number) => others.has(id) !== isOpen;
  const toggle = (id: number) =>
    set((state) => {
      const without = [...state.others].filter((one) => one !== id);
      return { ...state, others: new Set(state.others.has(id) ? without : [...without, id]) };
    });
  return {
    has,
    toggle,
    open: (id: number) => {
      if (!has(id)) toggle(id);
    },
    all: (to: boolean) => set(() => ({ from: to, others: new Set() })),
  };
}

interface HeaderProps {
  readonly data: PageData;
  readonly children: ComponentChildren;
  onHelp(): void;
}

function Header({ data, children, onHelp }: HeaderProps) {
  const { title, when, facts, sentence, isCalm, history, since } = data;
  return (
    <header>
      <div class="top">
        <p>
          <strong>{title}</strong> <span class="quiet">{[when, ...facts].join(" · ")}</span>
        </p>
        <span class="buttons">
          <ThemeButton />
          <button type="button" onClick={onHelp} aria-label="Keys">
            ?
          </button>
        </span>
      </div>
      <h1 class={isCalm ? "well" : ""}>{sentence}</h1>
      {children}
      <Chart runs={history} since={since} />
    </header>
  );
}

/** What is not a difference: ignored fields, and objects that no manifest declares. */
function Rest({ data: { ignored, unmanaged } }: { readonly data: PageData }) {
  return (
    <>
      {ignored.length === 0 ? null : (
        <section class="rest" aria-labelledby="muted">
          <h2 class="title" id="muted">
            Differs, but its manifest ignores it <span class="count">{grouped(ignored.length)}</span>
          </h2>
          <ul>
            {ignored.map(({ address, field }) => (
              <li key={`${address} ${field}`}>
                <code>{address}</code> {field}
              </li>
            ))}
          </ul>
        </section>
      )}
      {unmanaged.length === 0 ? null : (
        <details class="rest">
          <summary>
            Live, but declared nowhere <span class="count">{grouped(unmanaged.length)}</span>
          </summary>
          <ul>
            {unmanaged.map((address) => (
              <li key={address}>
                <code>{address}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
