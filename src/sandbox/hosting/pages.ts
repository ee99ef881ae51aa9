import type { Answered, Asked } from "../exchange.ts";

/** The default and the maximum number of entries per page. @see docs/facts.md, hosting */
const usual = 30;
const most = 100;

/** Returns the page of a list that `page` and `per_page` ask for, and the links to other pages. */
export function pageOf<Entry>(asked: Asked, entries: readonly Entry[]) {
  const size = Math.min(positive(asked.query.get("per_page")) ?? usual, most);
  const number = positive(asked.query.get("page")) ?? 1;
  const last = Math.max(1, Math.ceil(entries.length / size));
  const links = [
    ...(number > 1 ? [`${linkTo(asked, number - 1)}; rel="prev"`] : []),
    ...(number < last ? [`${linkTo(asked, number + 1)}; rel="next"`, `${linkTo(asked, last)}; rel="last"`] : []),
    ...(number > 1 ? [`${linkTo(asked, 1)}; rel="first"`] : []),
  ];
  const headers: Answered["headers"] = links.length === 0 ? {} : { link: links.join(", ") };
  return { page: entries.slice((number - 1) * size, number * size), headers };
}

/** Returns one page of a list as an answer. */
export function listed<Entry>(asked: Asked, entries: readonly Entry[], view: (entry: Entry) => unknown): Answered {
  const { page, headers } = pageOf(asked, entries);
  return { body: page.map(view), headers };
}

function positive(text: string | null): number | undefined {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function linkTo({ base, path, query }: Asked, page: number): string {
  const target = new URLSearchParams(query);
  target.set("page", String(page));
  return `<${base}${path}?${target}>`;
}
