import { counted, grouped } from "../../../../core/text/words.ts";
import type { PageData } from "../../page-data.ts";
import { markClass, type PageEntry } from "../entries.ts";
import { linkTo } from "../query.ts";

interface MapProps {
  readonly data: PageData;
  readonly entries: readonly PageEntry[];
  /** The resources that are found; undefined if nothing is filtered. */
  readonly found: ReadonlySet<PageEntry> | undefined;
}

/** A service with more resources than this takes the whole width, with smaller marks. */
const many = 240;

/** With more resources than this the map scrolls separately, so that the rows stay near. */
const high = 2_000;

/** The map: one mark for each resource, by service and kind. */
export function MapView({ data, entries, found }: MapProps) {
  const services = Map.groupBy(entries, ({ service }) => service);
  return (
    <nav
      class={entries.length > high ? "map high" : "map"}
      aria-label="All resources"
      onKeyDown={move}
      onFocusIn={tell}
      onPointerOver={tell}
    >
      {[...services].map(([name, inner]) => (
        <section class={inner.length > many ? "wide" : ""} aria-label={name}>
          <h2>
            {name} <span class="count">{readWords(name, inner, data)}</span>
          </h2>
          {[...Map.groupBy(inner, ({ kind }) => kind)].map(([kind, marks]) => (
            <div class="marks">
              <span class="kind">{kind}</span>
              <div>
                {marks.map((entry) => (
                  <a
                    class={found?.has(entry) === false ? `${markClass(entry)} off` : markClass(entry)}
                    href={linkTo(entry.address)}
                    aria-label={nameOf(entry)}
                    tabIndex={entry.id === 0 ? 0 : -1}
                  />
                ))}
              </div>
            </div>
          ))}
        </section>
      ))}
    </nav>
  );
}

function nameOf({ kind, key, verdict, row }: PageEntry): string {
  return `${kind} ${key}: ${[row?.result ?? [], row?.words ?? verdict].flat().join(", ")}`;
}

function readWords(name: string, inner: readonly PageEntry[], { services }: PageData): string {
  const isUnread = inner.every(({ verdict }) => verdict === "unknown");
  const reads = services.find((service) => service.name === name)?.reads ?? 0;
  return `${grouped(inner.length)} · ${isUnread ? "not read" : counted(reads, "read")}`;
}

/** Sets the title of a mark when it is needed, because there can be thousands of marks. */
function tell({ target }: Event): void {
  if (target instanceof HTMLAnchorElement) target.title = target.ariaLabel ?? "";
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 };

/** Moves in the map with the arrow keys. The whole map is a single tab stop. */
function move(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const { target: mark, currentTarget: map } = event;
  const step = steps[event.key];
  if (step === undefined || !(mark instanceof HTMLAnchorElement)) return;
  const marks = [...map.querySelectorAll<HTMLAnchorElement>("a.mark")];
  const next = marks[marks.indexOf(mark) + step];
  if (next === undefined) return;
  event.preventDefault();
  mark.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
