import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../../../core/text/words.ts";
import { cutAtDifference, type DiffPart, partsOf } from "../text-diff.ts";

/** The number of equal lines to keep next to a difference. */
const context = 2;

/** The diff of a text, with its equal parts folded. */
export function DiffView({ lines, name, sideBySide }: DiffProps) {
  const parts = partsOf(lines);
  return (
    <section class={sideBySide ? "diff sides" : "diff"} aria-label={`Difference in ${name}`}>
      {parts.map((part, index) => (
        <PartView
          key={index}
          part={part}
          sideBySide={sideBySide}
          isFirst={index === 0}
          isLast={index === parts.length - 1}
        />
      ))}
    </section>
  );
}

interface DiffProps {
  readonly lines: readonly string[];
  readonly name: string;
  readonly sideBySide: boolean;
}

interface PartProps {
  readonly part: DiffPart;
  readonly sideBySide: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function PartView({ part, sideBySide, isFirst, isLast }: PartProps) {
  switch (part.is) {
    case "left out":
      return <div class="fold">… {part.words}</div>;
    case "equal":
      return <Equal lines={part.lines} sideBySide={sideBySide} isFirst={isFirst} isLast={isLast} />;
    case "changed":
      return <Changed removed={part.removed} added={part.added} sideBySide={sideBySide} />;
  }
}

function Equal({
  lines,
  sideBySide,
  isFirst,
  isLast,
}: Omit<PartProps, "part"> & { readonly lines: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  const before = isFirst ? 0 : context;
  const after = isLast ? 0 : context;
  const folded = lines.length - before - after;
  if (isOpen || folded < 2) return <EqualLines lines={lines} sideBySide={sideBySide} />;
  return (
    <>
      <EqualLines lines={lines.slice(0, before)} sideBySide={sideBySide} />
      <button type="button" class="fold" onClick={() => setOpen(true)}>
        … {counted(folded, "equal line")}
      </button>
      <EqualLines lines={lines.slice(lines.length - after)} sideBySide={sideBySide} />
    </>
  );
}

function EqualLines({ lines, sideBySide }: { readonly lines: readonly string[]; readonly sideBySide: boolean }) {
  return (
    <>
      {lines.map((line, index) => (
        <Fragment key={index}>
          <Line sign=" " text={line} />
          {sideBySide ? <Line sign=" " text={line} isRepeated /> : null}
        </Fragment>
      ))}
    </>
  );
}

interface ChangedProps {
  readonly removed: readonly string[];
  readonly added: readonly string[];
  readonly sideBySide: boolean;
}

function Changed({ removed, added, sideBySide }: ChangedProps) {
  if (!sideBySide)
    return (
      <>
        {removed.map((text, index) => (
          <Line key={index} sign="-" text={text} partner={added[index]} />
        ))}
        {added.map((text, index) => (
          <Line key={index} sign="+" text={text} partner={removed[index]} />
        ))}
      </>
    );
  const rows = Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => index);
  return (
    <>
      {rows.map((index) => (
        <Fragment key={index}>
          <Line sign="-" text={removed[index]} partner={added[index]} />
          <Line sign="+" text={added[index]} partner={removed[index]} />
        </Fragment>
      ))}
    </>
  );
}

interface LineProps {
  readonly sign: "+" | "-" | " ";
  /** Undefined next to a line that has no partner. */
  readonly text: string | undefined;
  readonly partner?: string | undefined;
  readonly isRepeated?: boolean;
}

function Line({ sign, text, partner, isRepeated = false }: LineProps) {
  if (text === undefined) return <div class="line none" />;
  if (sign === " ")
    return (
      <div class="line" aria-hidden={isRepeated}>
        {`  ${text}`}
      </div>
    );
  const [start, middle, end] = cutAtDifference(text, partner);
  const Tag = sign === "-" ? "del" : "ins";
  return (
    <Tag class="line">
      {`${sign} ${start}`}
      {middle === "" ? null : <b>{middle}</b>}
      {end}
    </Tag>
  );
}
