import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useImperativeHandle, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { ListLine } from "../entries.ts";

/** What a list can be asked to do. */
export interface ListHandle {
  /** Scrolls to a line and focuses its first button. */
  goTo(index: number): void;
}

interface ListProps {
  readonly lines: readonly ListLine[];
  /** Whether to render all lines, however many, as on paper. */
  readonly isWhole: boolean;
  readonly handle: { current: ListHandle | null };
  render(line: ListLine): ComponentChildren;
}

/** Lists of up to this many lines are rendered completely, so that the browser's own search finds everything. */
const wholeLines = 150;

/** The assumed height in pixels of a line that is not measured yet. */
const estimated = 45;

/** A list of which only the visible lines are in the document. It scrolls with the page. */
export function ListView({ lines, isWhole, handle, render }: ListProps) {
  const list = useRef<HTMLOListElement>(null);
  const [, redraw] = useReducer((count: number, _none: undefined) => count + 1, 0);
  const [margin, setMargin] = useState(0);
  const overscan = lines.length <= wholeLines ? wholeLines : 12;
  const options = {
    count: lines.length,
    overscan,
    scrollMargin: margin,
    getScrollElement: () => window,
    estimateSize: () => estimated,
    getItemKey: (index: number) => keyOf(lines[index], index),
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    onChange: () => redraw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, HTMLLIElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
    const top = list.current === null ? 0 : list.current.getBoundingClientRect().top + window.scrollY;
    if (Math.abs(top - margin) > 1) setMargin(top);
  });
  useImperativeHandle(handle, () => ({
    goTo(index) {
      const focus = (tries: number) => {
        const button = list.current?.querySelector<HTMLElement>(`[data-index="${index}"] button`);
        if (button !== null && button !== undefined) button.focus();
        else if (tries > 0) requestAnimationFrame(() => focus(tries - 1));
      };
      virtualizer.scrollToIndex(index, { align: "auto" });
      focus(20);
    },
  }));
  if (isWhole)
    return (
      <ol class="rows" key="whole">
        {lines.map((line, index) => (
          <li key={keyOf(line, index)}>{render(line)}</li>
        ))}
      </ol>
    );
  const shown = virtualizer.getVirtualItems();
  const before = (shown[0]?.start ?? margin) - margin;
  const after = virtualizer.getTotalSize() - ((shown.at(-1)?.end ?? margin) - margin);
  return (
    <ol
      class="rows"
      key="seen"
      ref={list}
      style={{ paddingTop: `${before}px`, paddingBottom: `${Math.max(0, after)}px` }}
    >
      {shown.map(({ index, key }) => {
        const line = lines[index];
        if (line === undefined) return null;
        return (
          <li
            key={String(key)}
            data-index={index}
            ref={virtualizer.measureElement}
            aria-setsize={lines.length}
            aria-posinset={index + 1}
          >
            {render(line)}
          </li>
        );
      })}
    </ol>
  );
}

function keyOf(line: ListLine | undefined, index: number): string {
  if (line === undefined) return `line ${index}`;
  return line.is === "heading" ? `heading ${line.title}` : `entry ${line.entry.id}`;
}
