import { createHash } from "node:crypto";
import { compareVersions } from "../../core/version.ts";
import type { Account } from "../accounts.ts";
import type { Answer, ServiceRequest } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import type { CiState } from "./state.ts";
import { selectXPath, xmlElement, xmlText } from "./xml.ts";

const field = "Jenkins-Crumb";
const cookie = "JSESSIONID.4b7a10c2";

export const crumbAnswers = {
  getCrumb: (world, { account }) => ({ body: viewCrumb(world, account), headers: setCookie(world, account) }),

  /** The expressions of which the issuer makes text; any other one selects XML. */
  getCrumbXml(world, { account, query }) {
    const crumb = viewCrumb(world, account);
    const xpath = query.get("xpath") ?? "/*";
    if (/^concat\(\/\/crumbRequestField,(':'|":"),\/\/crumb\)$/.test(xpath))
      return {
        body: `${crumb.crumbRequestField}:${crumb.crumb}`,
        headers: { ...setCookie(world, account), "content-type": "text/plain;charset=utf-8" },
      };
    return {
      body: xmlText(selectXPath(xmlElement("defaultCrumbIssuer", crumb), xpath)),
      headers: { ...setCookie(world, account), "content-type": "application/xml;charset=utf-8" },
    };
  },
} satisfies Record<string, Answer>;

function viewCrumb({ ci }: World, account: Account | undefined) {
  if (!ci.crumbs) throw new Refusal(404);
  return {
    _class: "hudson.security.csrf.DefaultCrumbIssuer",
    crumb: crumbOf(ci, account),
    crumbRequestField: field,
  };
}

/**
 * Throws `Refusal` 403 for a request without the crumb of its account and, where the version binds them, its session.
 * @see ci-analysis-tracker-wiki.md, authentication 1
 */
export function requireCrumb({ ci }: World, { headers }: ServiceRequest, account: Account | undefined): void {
  if (!ci.crumbs) return;
  const cookies = (headers.cookie ?? "").split("; ");
  const inSession = !isBound(ci) || cookies.includes(`${cookie}=${sessionOf(ci, account)}`);
  if (headers[field.toLowerCase()] !== crumbOf(ci, account) || !inSession)
    throw new Refusal(403, "No valid crumb was included in the request");
}

function setCookie({ ci }: World, account: Account | undefined): Readonly<Record<string, string>> {
  return { "set-cookie": `${cookie}=${sessionOf(ci, account)}; Path=/ci; HttpOnly` };
}

/** An account has one session for each start of the server. */
function sessionOf({ starts }: CiState, account: Account | undefined): string {
  return `node0${hash(`${starts} ${account?.username}`).slice(0, 24)}`;
}

function crumbOf(ci: CiState, account: Account | undefined): string {
  return hash(isBound(ci) ? `crumb ${sessionOf(ci, account)}` : `crumb ${account?.username}`);
}

/** Crumbs belong to a session from 2.176.2 on. */
function isBound({ version }: CiState): boolean {
  return compareVersions(version, "2.176.2") >= 0;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
