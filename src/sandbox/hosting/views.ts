import { hash } from "node:crypto";
import type { Asked } from "../exchange.ts";
import type { HostedRepository, HostingState } from "./state.ts";

/** Who views what, and where: the URLs of a view start with `base`. */
export type Viewing = Pick<Asked<HostingState>, "state" | "accounts" | "account" | "base">;

/** A repository that someone views, with its URL and that of its page for people. */
export interface ViewedRepository extends Viewing {
  readonly repository: HostedRepository;
  readonly url: string;
  readonly page: string;
}

export function viewedBy({ state, accounts, account, base }: Viewing, repository: HostedRepository): ViewedRepository {
  const path = `${encodeURIComponent(repository.owner)}/${encodeURIComponent(repository.name)}`;
  return { state, accounts, account, base, repository, url: `${base}/repos/${path}`, page: `${base}/${path}` };
}

/** Returns an account or an organization as shown in other records. Unknown logins also have an id. */
export function userView(viewing: Viewing, login: string) {
  const { accounts, base } = viewing;
  const index = accounts.findIndex(({ username }) => username === login);
  const id = index < 0 ? digestNumber(login) : index + 1;
  const url = `${base}/users/${login}`;
  return {
    login,
    id,
    node_id: nodeId("User", id),
    avatar_url: `${base}/avatars/${id}`,
    gravatar_id: "",
    url,
    html_url: `${base}/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: index < 0 && isOrganization(viewing, login) ? "Organization" : "User",
    user_view_type: "public",
    site_admin: false,
  };
}

/** Returns fields that all have the same value. */
export function fields<Value>(names: string, value: Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, value]));
}

/** Whether a login owns repositories but no one can sign in with it. */
export function isOrganization({ accounts, state }: Viewing, login: string): boolean {
  const isIt = (name: string) => name.toLowerCase() === login.toLowerCase();
  return state.repositories.some(({ owner }) => isIt(owner)) && !accounts.some(({ username }) => isIt(username));
}

/** Returns the service's global id of an object, from its kind and its number or name. */
export function nodeId(kind: string, id: number | string): string {
  return Buffer.from(`${kind}:${id}`).toString("base64url");
}

/** Returns a number below 2^31 that is always the same for the same string. */
function digestNumber(text: string): number {
  return hash("sha256", text, "buffer").readUInt32BE() >>> 1;
}
