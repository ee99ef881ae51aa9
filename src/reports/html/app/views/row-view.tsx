import { useRef, useState } from "preact/hooks";
import { shellWord } from "../../../../core/text/words.ts";
import type { PageData, PageField, PageRow } from "../../page-data.ts";
import { actionWords, markClass, type PageEntry } from "../entries.ts";
import { Button, Link } from "../links.tsx";
import { DiffView } from "./diff-view.tsx";

interface RowProps {
  readonly entry: PageEntry;
  readonly isOpen: boolean;
  readonly sideBySide: boolean;
  readonly data: Pick<PageData, "mutedUntil" | "given">;
  /** Whether a link led here. */
  readonly isLinked: boolean;
  onToggle(): void;
}

/** A resource: one line that can be opened. */
export function RowView({ entry, isOpen, sideBySide, data, isLinked, onToggle }: RowProps) {
  const { id, address, service, kind, key, row } = entry;
  const body = `body-${id}`;
  const word = shellWord(address);
  const commands = {
    Undo: `apply --only ${word}`,
    Accept: `adopt ${word}`,
    Mute: `ack ${word} --until ${data.mutedUntil} --reason …`,
  };
  return (
    <article class={isLinked ? "row linked" : "row"} aria-labelledby={`row-${id}`}>
      <button
        type="button"
        class="head"
        id={`row-${id}`}
        data-row={id}
        aria-expanded={isOpen}
        aria-controls={isOpen ? body : undefined}
        onClick={onToggle}
      >
        <span class={markClass(entry)} aria-hidden="true" />
        <span class="what">
          <span class="quiet">{service}</span> <span class="kind">{kind}</span> <span class="key">{key}</span>
        </span>
        <Words entry={entry} />
      </button>
      {isOpen && (
        <div class="body" id={body}>
          {row && <Details row={row} sideBySide={sideBySide} />}
          <Facts entry={entry} />
          {row?.answers.map((name) => (
            <Command name={name} text={`setpoint ${commands[name]}${data.given}`} />
          ))}
        </div>
      )}
    </article>
  );
}

function Words({ entry: { row, verdict } }: { readonly entry: PageEntry }) {
  if (row === undefined) return <span class="words">{verdict}</span>;
  const { action, words, result, problem, risks } = row;
  const [first = verdict, ...others] = [result, ...words, problem?.code].filter((word) => word !== undefined);
  return (
    <span class="words">
      {action !== "none" && <span class={`action ${action}`}>{actionWords[action]}</span>} {first}
      {others.map((word) => (
        <span class={risks.includes(word) || word.startsWith("access was") ? "risky" : ""}>{` · ${word}`}</span>
      ))}
    </span>
  );
}

function Details({ row, sideBySide }: { readonly row: PageRow; readonly sideBySide: boolean }) {
  const { fields, instruction, events, problem } = row;
  return (
    <>
      {problem && (
        <p class="note bad">
          {problem.message}
          {problem.hint && <span class="hint">{problem.hint}</span>}
        </p>
      )}
      {fields.length > 0 && (
        <dl class="fields">
          {fields.map((field) => (
            <Field field={field} sideBySide={sideBySide} />
          ))}
        </dl>
      )}
      {instruction && <p>{instruction}</p>}
      {events.length > 0 && (
        <ul class="events">
          {events.map((event) => (
            <li>{event}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Field({ field, sideBySide }: { readonly field: PageField; readonly sideBySide: boolean }) {
  const { name, side, before, after, lines } = field;
  return (
    <>
      <dt>
        {name}
        {side && <span class="side"> {side}</span>}
      </dt>
      <dd>
        {lines && <DiffView lines={lines} name={name} sideBySide={sideBySide} />}
        {before !== undefined && <del>{before}</del>}
        {before !== undefined && after !== undefined && " → "}
        {after !== undefined && <ins>{after}</ins>}
      </dd>
    </>
  );
}

/** Where the resource is declared, its labels, when the difference was first seen, and what comes before it. */
function Facts({ entry: { row, labels } }: Pick<RowProps, "entry">) {
  const { where, since, needs = [] } = row ?? {};
  const named = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  if (where === undefined && since === undefined && named.length + needs.length === 0) return null;
  return (
    <ul class="facts">
      {where && (
        <li>
          <code>{where}</code>
        </li>
      )}
      {named.length > 0 && <li>{named.join(", ")}</li>}
      {since && <li>first seen {since}</li>}
      {needs.map((address) => (
        <li>
          after <Link to={address} />
        </li>
      ))}
    </ul>
  );
}

/** A command with a button that copies it. */
function Command({ name, text }: { readonly name: string; readonly text: string }) {
  const code = useRef<HTMLElement>(null);
  const [state, setState] = useState("Copy");
  const copy = async () => setState((await copied(text, code.current)) ? "Copied" : "Press Ctrl-C");
  return (
    <div class="command">
      <span class="name quiet">{name}</span>
      <code ref={code}>{text}</code>
      <Button onClick={copy} aria-label={`${state}: ${name}`}>
        {state}
      </Button>
    </div>
  );
}

/** Copies the text, or selects it if it cannot be copied. */
async function copied(text: string, element: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page in a frame or opened from a file is sometimes not allowed to copy.
    if (element !== null) getSelection()?.selectAllChildren(element);
    return false;
  }
}
