import { grouped } from "../../../core/text/words.ts";
import { linkTo } from "./query.ts";

/** A link to a resource of the page. */
export function Link({ to, words = to }: { readonly to: string; readonly words?: string }) {
  return <a href={linkTo(to)}>{words}</a>;
}

/** A button that shows more of a list, if there is more. */
export function More({ count, onClick }: { readonly count: number; onClick(): void }) {
  if (count <= 0) return null;
  return (
    <button type="button" class="link" onClick={onClick}>
      {grouped(count)} more
    </button>
  );
}
