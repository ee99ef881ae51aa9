import { useRef, useState } from "preact/hooks";
import { Button } from "./links.tsx";

/** A command with a button that copies it. */
export function Command({ name, text }: { readonly name: string; readonly text: string }) {
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
