import { shellWord } from "../../../../core/text/words.ts";
import type { PageField, PageRow } from "../../page-data.ts";
import { Command } from "../copy.tsx";
import { actionWords, type PageEntry, signOf } from "../entries.ts";
import { Mark } from "../icons.tsx";
import { DiffView } from "./diff-view.tsx";

interface RowProps {
  readonly entry: PageEntry;
  readonly isOpen: boolean;
  readonly sideBySide: boolean;
  /** The day until which the suggested command mutes a drift. */
  readonly mutedUntil: string;
  /** Whether a link led here. */
  readonly isLinked: boolean;
  onToggle(): void;
  /** Goes to another resource. */
  onGo(address: string): void;
}

/** A resource: one line that can be opened. */
export function RowView({ entry, isOpen, sideBySide, mutedUntil, isLinked, onToggle, onGo }: RowProps) {
  const { id, service, kind, key, row } = entry;
  const body = `body-${id}`;
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
        <Mark sign={signOf(entry)} />
        <span class="what">
          <span class="service">{service}</span> <span class="kind">{kind}</span> <span class="key">{key}</span>
        </span>
        <Words entry={entry} />
      </button>
      {isOpen ? (
        <div class="body" id={body}>
          {row === undefined ? null : <Details row={row} sideBySide={sideBySide} />}
          <Facts entry={entry} onGo={onGo} />
          {row?.canUndo ? <Commands address={entry.address} row={row} mutedUntil={mutedUntil} /> : null}
        </div>
      ) : null}
    </article>
  );
}

function Words({ entry: { row, verdict } }: { readonly entry: PageEntry }) {
  if (row === undefined) return <span class="words">{verdict}</span>;
  const { action, words, result, problem, risks } = row;
  const code = problem === undefined ? [] : [problem.code];
  const [first = verdict, ...others] = [...(result === undefined ? [] : [result]), ...words, ...code];
  return (
    <span class="words">
      {action === "none" ? null : <span class={`action ${action}`}>{actionWords[action]}</span>}
      {first}
      {others.map((word) => (
        <span key={word} class={risks.includes(word) || word.startsWith("access was") ? "risky" : ""}>
          {` · ${word}`}
        </span>
      ))}
    </span>
  );
}

function Details({ row, sideBySide }: { readonly row: PageRow } & Pick<RowProps, "sideBySide">) {
  const { fields, instruction, events, problem } = row;
  return (
    <>
      {problem === undefined ? null : (
        <p class="problem">
          {problem.message}
          {problem.hint === undefined ? null : <span class="hint">{problem.hint}</span>}
        </p>
      )}
      {fields.length === 0 ? null : (
        <dl class="fields">
          {fields.map((field) => (
            <Field key={field.name} field={field} sideBySide={sideBySide} />
          ))}
        </dl>
      )}
      {instruction === undefined ? null : <p class="instruction">{instruction}</p>}
      {events.length === 0 ? null : (
        <ul class="events">
          {events.map((event, index) => (
            <li key={index}>{event}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Field({ field, sideBySide }: { readonly field: PageField; readonly sideBySide: boolean }) {
  const { name, side, lines } = field;
  return (
    <>
      <dt>
        {name}
        {side === undefined ? null : <span class="side"> {side}</span>}
      </dt>
      <dd>
        {lines === undefined ? (
          <Values field={field} />
        ) : (
          <DiffView lines={lines} name={name} sideBySide={sideBySide} />
        )}
      </dd>
    </>
  );
}

function Values({ field: { before, after } }: { readonly field: PageField }) {
  return (
    <>
      {before === undefined ? null : <del>{before}</del>}
      {before === undefined || after === undefined ? null : <span class="arrow"> → </span>}
      {after === undefined ? null : <ins>{after}</ins>}
    </>
  );
}

interface CommandsProps extends Pick<RowProps, "mutedUntil"> {
  readonly address: string;
  readonly row: PageRow;
}

/** The commands that undo, accept or mute what happened, ready to paste. */
function Commands({ address, row, mutedUntil }: CommandsProps) {
  const word = shellWord(address);
  return (
    <>
      {row.action === "check" ? null : <Command name="Undo" text={`setpoint apply --only ${word}`} />}
      <Command name="Accept" text={`setpoint adopt ${word}`} />
      <Command name="Mute" text={`setpoint ack ${word} --until ${mutedUntil} --reason "why"`} />
    </>
  );
}

/** Where the resource is declared, its labels, when the difference was first seen, and what comes before it. */
function Facts({ entry: { row, labels }, onGo }: Pick<RowProps, "entry" | "onGo">) {
  const { where, since, needs = [] } = row ?? {};
  const named = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  if (where === undefined && since === undefined && named.length + needs.length === 0) return null;
  return (
    <ul class="facts">
      {where === undefined ? null : (
        <li>
          <code>{where}</code>
        </li>
      )}
      {named.length === 0 ? null : <li>{named.join(", ")}</li>}
      {since === undefined ? null : <li>first seen {since}</li>}
      {needs.map((address) => (
        <li key={address}>
          after{" "}
          <button type="button" class="link" onClick={() => onGo(address)}>
            {address}
          </button>
        </li>
      ))}
    </ul>
  );
}
