import type { RefObject } from "preact";

const keys: readonly (readonly [string, string])[] = [
  ["/", "search"],
  ["f", "filters"],
  ["j  k", "next row, previous row"],
  ["Enter", "open or close a row"],
  ["← →", "move in the map"],
  ["Escape", "leave the search; show everything"],
  ["?", "these keys"],
];

/** The keys of the page. */
export function Help({ dialog }: { readonly dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl>
        {keys.map(([key, words]) => (
          <div class="key-line" key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
