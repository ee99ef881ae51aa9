import { Component } from "preact";
import { counted, grouped } from "../../../../core/text/words.ts";
import type { PageData } from "../../page-data.ts";
import { type PageEntry, signOf } from "../entries.ts";
import { markClass } from "../icons.tsx";

interface MapProps {
  readonly data: PageData;
  readonly entries: readonly PageEntry[];
  /** The resources that are found; undefined if nothing is filtered. */
  readonly found: ReadonlySet<PageEntry> | undefined;
  onGo(address: string): void;
}

/** A service with more resources than this takes the whole width, with smaller marks. */
const many = 240;

/** With more resources than this the map scrolls separately, so that the rows stay near. */
const high = 2_000;

/** The map: one mark for each resource, by service and kind. It is rendered again only if the found resources change. */
export class MapView extends Component<MapProps> {
  override shouldComponentUpdate({ found, entries }: MapProps): boolean {
    return found !== this.props.found || entries !== this.props.entries;
  }

  render({ data, entries, found, onGo }: MapProps) {
    const services = Map.groupBy(entries, ({ service }) => service);
    return (
      <nav
        class={entries.length > high ? "map high" : "map"}
        aria-label="All resources"
        onKeyDown={move}
        onFocusIn={tell}
        onPointerOver={tell}
        onClick={(event) => follow(event, onGo)}
      >
        {[...services].map(([name, inner]) => (
          <section key={name} class={inner.length > many ? "wide" : ""} aria-label={name}>
            <h2>
              {name} <span class="reads">{readWords(name, inner, data)}</span>
            </h2>
            {[...Map.groupBy(inner, ({ kind }) => kind)].map(([kind, marks]) => (
              <div class="marks" key={kind}>
                <span class="kind">{kind}</span>
                <div>
                  {marks.map((entry) => (
                    <a
                      class={
                        found === undefined || found.has(entry)
                          ? markClass(signOf(entry))
                          : `${markClass(signOf(entry))} off`
                      }
                      href={`#at=${encodeURIComponent(entry.address)}`}
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
}

function nameOf({ kind, key, verdict, row }: PageEntry): string {
  return `${kind} ${key}: ${row?.words.join(", ") ?? verdict}`;
}

function readWords(name: string, inner: readonly PageEntry[], { services }: PageData): string {
  const unread = inner.every(({ verdict }) => verdict === "unknown");
  const reads = services.find((service) => service.name === name)?.reads ?? 0;
  return `${grouped(inner.length)} · ${unread ? "not read" : counted(reads, "read")}`;
}

function markAt(event: Event): HTMLAnchorElement | null {
  return event.target instanceof HTMLAnchorElement ? event.target : null;
}

/** Sets the title of a mark when it is needed, because there can be thousands of marks. */
function tell(event: Event): void {
  const mark = markAt(event);
  if (mark !== null) mark.title = mark.ariaLabel ?? "";
}

function follow(event: MouseEvent, onGo: (address: string) => void): void {
  const mark = markAt(event);
  if (mark === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  onGo(new URLSearchParams(mark.hash.slice(1)).get("at") ?? "");
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 };

/** Moves in the map with the arrow keys. The whole map is a single tab stop. */
function move(event: KeyboardEvent): void {
  const mark = markAt(event);
  const step = steps[event.key];
  if (mark === null || step === undefined || !(event.currentTarget instanceof HTMLElement)) return;
  const marks = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>("a.mark")];
  const next = marks[marks.indexOf(mark) + step];
  if (next === undefined) return;
  event.preventDefault();
  mark.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
