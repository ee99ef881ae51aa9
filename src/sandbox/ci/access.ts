import { hash } from "node:crypto";
import { compareVersions } from "../../core/text/version.ts";
import { type Account, isAdmin, readsAll } from "../accounts.ts";
import type { Answers, Asked, ServiceRequest } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import type { CiState } from "./state.ts";
import { selectXPath, xmlElement, xmlText } from "./xml.ts";

const field = "Jenkins-Crumb";
const cookie = "JSESSIONID.4b7a10c2";

export const crumbAnswers = {
  getCrumb: (asked) => ({ body: viewCrumb(asked), headers: setCookie(asked) }),

  /** Answers the two expressions that yield text as text; any other expression selects XML. */
  getCrumbXml(asked) {
    const crumb = viewCrumb(asked);
    const xpath = asked.query.get("xpath") ?? "/*";
    if (/^concat\(\/\/crumbRequestField,(':'|":"),\/\/crumb\)$/.test(xpath))
      return {
        body: `${crumb.crumbRequestField}:${crumb.crumb}`,
        headers: { ...setCookie(asked), "content-type": "text/plain;charset=utf-8" },
      };
    return {
      body: xmlText(selectXPath(xmlElement("defaultCrumbIssuer", crumb), xpath)),
      headers: { ...setCookie(asked), "content-type": "application/xml;charset=utf-8" },
    };
  },
} satisfies Answers<CiState>;

function viewCrumb({ state, account }: Asked<CiState>) {
  if (!state.crumbs) throw new Refusal(404);
  const crumb = crumbOf(state, account);
  return { _class: "hudson.security.csrf.DefaultCrumbIssuer", crumb, crumbRequestField: field };
}

/**
 * Throws `Refusal` 403 for a request without the crumb of its account and, if the version binds crumbs, of its session.
 * @see docs/api/ci.md, crumbs
 */
export function requireCrumb({ state: ci, headers }: ServiceRequest<CiState>, account: Account | undefined): void {
  if (!ci.crumbs) return;
  const cookies = (headers.cookie ?? "").split("; ");
  const inSession = !isBound(ci) || cookies.includes(`${cookie}=${sessionOf(ci, account)}`);
  if (headers[field.toLowerCase()] !== crumbOf(ci, account) || !inSession)
    throw new Refusal(403, "No valid crumb was included in the request");
}

function setCookie({ state, account }: Asked<CiState>): Readonly<Record<string, string>> {
  return { "set-cookie": `${cookie}=${sessionOf(state, account)}; Path=/ci; HttpOnly` };
}

/** Returns the id of an account's session. Each account has one session per start of the server. */
function sessionOf({ starts }: CiState, account: Account | undefined): string {
  return `node0${hash("sha256", `${starts} ${account?.username}`).slice(0, 24)}`;
}

function crumbOf(ci: CiState, account: Account | undefined): string {
  return hash("sha256", isBound(ci) ? `crumb ${sessionOf(ci, account)}` : `crumb ${account?.username}`);
}

/** Whether crumbs are bound to a session, as they are from version 2.176.2 on. */
function isBound({ version }: CiState): boolean {
  return compareVersions(version, "2.176.2") >= 0;
}

/** Throws `Refusal` 403 for an account other than an administrator. `permission` is what the answer says is missing. */
export function requireAdministrator({ account }: Asked, permission: string): void {
  if (!isAdmin(account)) throw missing(account?.username, permission);
}

/** Throws `Refusal` 403 for a caller who may see only what is public. */
export function requireReader({ account }: Asked, permission: string): void {
  if (!readsAll(account)) throw missing(account?.username, permission);
}

function missing(username = "anonymous", permission: string): Refusal {
  return new Refusal(403, `${username} is missing the ${permission} permission`);
}
