import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ListLine } from "../entries.ts";

interface ListProps {
  readonly lines: readonly ListLine[];
  /** Whether to render all lines, however many, as on paper. */
  readonly isWhole: boolean;
  /** Receives a function that scrolls to a line and focuses its first button. */
  readonly goTo: { current: (index: number) => void };
  render(line: ListLine): ComponentChildren;
}

/** Lists of up to this many lines are rendered completely, so that the browser's own search finds everything. */
const wholeLines = 150;

/** The assumed height in pixels of a line that is not measured yet. */
const estimated = 45;

/** A list of which only the visible lines are in the document. It scrolls with the page. */
export function ListView({ lines, isWhole, goTo, render }: ListProps) {
  const list = useRef<HTMLOListElement>(null);
  const [, redraw] = useState({});
  const [margin, setMargin] = useState(0);
  const options = {
    count: lines.length,
    overscan: isWhole || lines.length <= wholeLines ? lines.length : 12,
    scrollMargin: margin,
    getScrollElement: () => window,
    estimateSize: () => estimated,
    getItemKey: (index: number) => keyOf(lines[index]),
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    onChange: () => redraw({}),
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLLIElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
    const top = list.current === null ? 0 : list.current.getBoundingClientRect().top + window.scrollY;
    if (Math.abs(top - margin) > 1) setMargin(top);
  });
  goTo.current = (index) => {
    const focus = (tries: number) => {
      const button = list.current?.querySelector<HTMLElement>(`[data-index="${index}"] button`);
      if (button) button.focus();
      else if (tries > 0) requestAnimationFrame(() => focus(tries - 1));
    };
    virtualizer.scrollToIndex(index, { align: "auto" });
    focus(20);
  };
  const items = virtualizer.getVirtualItems();
  const before = (items[0]?.start ?? margin) - margin;
  const after = virtualizer.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin);
  const style = { paddingTop: `${before}px`, paddingBottom: `${Math.max(0, after)}px` };
  return (
    <ol class="rows" key={String(isWhole)} ref={list} style={style}>
      {items.map(({ index, key }) => {
        const line = lines[index];
        return (
          line && (
            <li
              key={String(key)}
              data-index={index}
              // A line on paper has another height.
              ref={isWhole ? null : virtualizer.measureElement}
              aria-setsize={lines.length}
              aria-posinset={index + 1}
            >
              {render(line)}
            </li>
          )
        );
      })}
    </ol>
  );
}

function keyOf(line: ListLine | undefined): string | number {
  return line?.is === "entry" ? line.entry.id : (line?.title ?? "");
}
