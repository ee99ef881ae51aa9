import { useState } from "preact/hooks";
import { counted } from "../../../../core/text/words.ts";
import { Button } from "../links.tsx";
import { cutAtDifference, type DiffPart, partsOf } from "../text-diff.ts";

/** The number of equal lines to keep next to a difference. */
const context = 2;

interface DiffProps {
  readonly lines: readonly string[];
  readonly name: string;
  readonly sideBySide: boolean;
}

/** The diff of a text, with its equal parts folded. */
export function DiffView({ lines, name, sideBySide }: DiffProps) {
  const parts = partsOf(lines);
  return (
    <section class={sideBySide ? "diff sides" : "diff"} aria-label={`Difference in ${name}`}>
      {parts.map((part, index) => (
        <PartView
          part={part}
          before={index === 0 ? 0 : context}
          after={index === parts.length - 1 ? 0 : context}
          sideBySide={sideBySide}
        />
      ))}
    </section>
  );
}

interface PartProps extends Pick<DiffProps, "sideBySide"> {
  readonly part: DiffPart;
  /** The number of equal lines to keep at the start of the part, and at its end. */
  readonly before: number;
  readonly after: number;
}

function PartView({ part, before, after, sideBySide }: PartProps) {
  const [isOpen, setOpen] = useState(false);
  switch (part.is) {
    case "left out":
      return <div class="fold">… {part.words}</div>;
    case "changed": {
      const { removed, added } = part;
      const left = removed.map((text, index) => changedLine("-", text, added[index]));
      const right = added.map((text, index) => changedLine("+", text, removed[index]));
      if (!sideBySide) return [left, right];
      const none = () => <div class="line" />;
      const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => index);
      return rows.map((index) => [left[index] ?? none(), right[index] ?? none()]);
    }
    case "equal": {
      const { lines } = part;
      const folded = lines.length - before - after;
      if (isOpen || folded < 2) return equalLines(lines, sideBySide);
      return [
        equalLines(lines.slice(0, before), sideBySide),
        <Button class="fold" onClick={() => setOpen(true)}>
          … {counted(folded, "equal line")}
        </Button>,
        equalLines(lines.slice(lines.length - after), sideBySide),
      ];
    }
  }
}

function equalLines(lines: readonly string[], sideBySide: boolean) {
  return lines.map((text) => [
    <div class="line">{`  ${text}`}</div>,
    sideBySide && <div class="line" aria-hidden="true">{`  ${text}`}</div>,
  ]);
}

/** A line with a mark on what differs from its partner. */
function changedLine(sign: "-" | "+", text: string, partner: string | undefined) {
  const [start, middle, end] = cutAtDifference(text, partner);
  const Tag = sign === "-" ? "del" : "ins";
  return (
    <Tag class="line">
      {`${sign} ${start}`}
      {middle && <b>{middle}</b>}
      {end}
    </Tag>
  );
}
