import { hash } from "node:crypto";
import type { Asked } from "../exchange.ts";
import type { HostingState } from "./state.ts";

/** The viewer, subject and place of a view: its URLs start with `base`. */
export type Viewing = Pick<Asked<HostingState>, "state" | "accounts" | "account" | "base">;

/** An account or an organization, as shown in other records. An unknown one has an id too. */
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

/** Fields that all have one value. */
export function fields<Value>(names: string, value: Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, value]));
}

/** Whether it owns repositories and nobody can sign in as it. */
export function isOrganization({ accounts, state }: Viewing, login: string): boolean {
  const isIt = (name: string) => name.toLowerCase() === login.toLowerCase();
  return state.repositories.some(({ owner }) => isIt(owner)) && !accounts.some(({ username }) => isIt(username));
}

/** The service's id for any object, from its kind and its number or name. */
export function nodeId(kind: string, id: number | string): string {
  return Buffer.from(`${kind}:${id}`).toString("base64url");
}

/** A number that is always the same for a text, below 2^31. */
function digestNumber(text: string): number {
  return hash("sha256", text, "buffer").readUInt32BE() >>> 1;
}
