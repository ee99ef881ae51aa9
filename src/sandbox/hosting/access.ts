import type { z } from "zod";
import { mistakesOf, unshown } from "../../core/text/issues.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import { type Account, known, readsAll } from "../accounts.ts";
import type { Answered, Asked } from "../exchange.ts";
import { replace } from "../lists.ts";
import { foundIn, Refusal } from "../refusal.ts";
import { mediaType } from "../request.ts";
import type { HostedRepository, HostingState } from "./state.ts";
import { type ViewedRepository, viewedBy } from "./views.ts";

/** Returns the repositories that a caller may see; private ones are only for administrators and readers. */
export function visibleRepositories({ state, account }: Asked<HostingState>): readonly HostedRepository[] {
  return readsAll(account) ? state.repositories : state.repositories.filter((repository) => !repository.private);
}

/** Returns the repository that a request names, in any case. Throws `Refusal` 404 for one that the caller may not see. */
export function requireRepository(asked: Asked<HostingState>): ViewedRepository {
  const { owner, org, repo } = asked.params;
  const path = `${owner ?? org}/${repo}`.toLowerCase();
  const isIt = (repository: HostedRepository) => fullName(repository).toLowerCase() === path;
  return viewedBy(asked, foundIn(visibleRepositories(asked), isIt));
}

export function fullName({ owner, name }: HostedRepository): string {
  return `${owner}/${name}`;
}

/** Returns the repository that a request names, and the caller. Throws `Refusal` for a caller without one of the rights. */
export function requireRight(
  asked: Asked<HostingState>,
  rights: readonly Account["rights"][],
  said = "Resource not accessible by personal access token",
): ViewedRepository & { readonly account: Account } {
  const here = requireRepository(asked);
  const account = requireAccount(asked);
  if (!rights.includes(account.rights)) throw new Refusal(403, said);
  return { ...here, account };
}

export function requireAccount({ account }: Asked): Account {
  return known(account, "Requires authentication");
}

/** Returns the repositories with a change to one of them. */
export function withRepository({ state, repository }: ViewedRepository, change: Partial<HostedRepository>) {
  return { repositories: replace(state.repositories, repository, { ...repository, ...change }) };
}

/** Answers that a record was created, which is shown. */
export function created(view: { readonly url: string }, changes: Partial<HostingState>): Answered<HostingState> {
  return { status: 201, headers: { location: view.url }, body: view, changes };
}

/** Reads a JSON body. Throws `Refusal`: 415 for another media type, 400 for malformed JSON, 422 with every error. */
export function readInput<Schema extends z.ZodType>(schema: Schema, asked: Asked): z.output<Schema> {
  const type = mediaType(asked);
  if (type !== "" && type !== "application/json" && !type.endsWith("+json"))
    throw new Refusal(415, `Unsupported Content-Type: ${type}`);
  const body = jsonIn(asked.body);
  if (body === undefined) throw new Refusal(400, "Problems parsing JSON");
  const input = schema.safeParse(body);
  if (input.success) return input.data;
  const nameOf = (path: readonly PropertyKey[]) => `For 'properties/${path.join("/")}', the value`;
  const errors = mistakesOf(unshown(body, nameOf), input.error.issues).map(({ is, path, sentence }) => {
    if (is === "unknown") return `"${String(path.at(-1))}" is not a permitted key.`;
    if (path.length === 0) return "The body is not an object.";
    return is === "missing" ? `"${path.join("/")}" wasn't supplied.` : sentence;
  });
  throw new Refusal(422, `Invalid request.\n\n${errors.join("\n")}`, {}, errors);
}

/** Formats a time as the service does, without fractions of a second. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+/, "");
}
