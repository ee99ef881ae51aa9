import type { ButtonHTMLAttributes } from "preact";
import { grouped } from "../../../core/text/words.ts";
import { linkTo } from "./query.ts";

export function Link({ to, words = to }: { readonly to: string; readonly words?: string }) {
  return <a href={linkTo(to)}>{words}</a>;
}

export function Button(props: ButtonHTMLAttributes<HTMLButtonElement>) {
  return <button type="button" {...props} />;
}

/** A button that shows more of a list, if there is more. */
export function More({ count, onClick }: { readonly count: number; onClick(): void }) {
  if (count <= 0) return null;
  return (
    <Button class="link" onClick={onClick}>
      {grouped(count)} more
    </Button>
  );
}
