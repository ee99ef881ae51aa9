import { Button } from "../links.tsx";

const keys = {
  "/": "search",
  f: "filters",
  "j  k": "next row, previous row",
  Enter: "open or close a row",
  "← →": "move in the map",
  Escape: "leave the search; show everything",
  "?": "these keys",
};

export function showHelp(): void {
  document.querySelector("dialog")?.showModal();
}

export function Help() {
  return (
    <dialog aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl>
        {Object.entries(keys).map(([key, words]) => (
          <div class="key-line">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <Button onClick={({ currentTarget }) => currentTarget.closest("dialog")?.close()}>Close</Button>
    </dialog>
  );
}
