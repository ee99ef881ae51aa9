import type { z } from "zod";
import { mistakesOf, unshown } from "../../core/text/issues.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import { type Account, isAdmin, known } from "../accounts.ts";
import type { Asked } from "../exchange.ts";
import { replace } from "../lists.ts";
import { found, Refusal } from "../refusal.ts";
import { mediaType } from "../request.ts";
import type { HostedRepository, HostingState } from "./state.ts";

/** Returns the repositories that a caller may see; private ones are only for administrators and readers. */
export function visibleRepositories({ state, account }: Asked<HostingState>): readonly HostedRepository[] {
  const seesAll = account !== undefined && account.rights !== "member";
  return state.repositories.filter((repository) => seesAll || !repository.private);
}

/** Returns the repository that a request names, in any case. Throws `Refusal` 404 for one that the caller may not see. */
export function requireRepository(asked: Asked<HostingState>): HostedRepository {
  const { owner, org, repo } = asked.params;
  const path = `${owner ?? org}/${repo}`.toLowerCase();
  return found(visibleRepositories(asked).find((repository) => fullName(repository).toLowerCase() === path));
}

export function fullName({ owner, name }: HostedRepository): string {
  return `${owner}/${name}`;
}

/** Returns the repository that a request names. Throws `Refusal` for a caller who may not read its settings. */
export function requireSettings(asked: Asked<HostingState>): HostedRepository {
  const repository = requireRepository(asked);
  if (requireAccount(asked).rights === "member") throw new Refusal(403, "Must have admin rights to Repository.");
  return repository;
}

/** Returns the repository that a request changes, and the caller. Throws `Refusal` for a caller who may not change it. */
export function requireWritable(asked: Asked<HostingState>) {
  const repository = requireRepository(asked);
  const account = requireAccount(asked);
  if (!isAdmin(account)) throw new Refusal(403, "Resource not accessible by personal access token");
  return { repository, account };
}

export function requireAccount({ account }: Asked): Account {
  return known(account, "Requires authentication");
}

/** Returns the repositories with a change to one of them. */
export function withRepository(
  { state }: Asked<HostingState>,
  repository: HostedRepository,
  change: Partial<HostedRepository>,
) {
  return { repositories: replace(state.repositories, repository, { ...repository, ...change }) };
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
