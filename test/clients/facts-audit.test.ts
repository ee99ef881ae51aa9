import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/*
 * Every failure mode and oddity that facts.md tells of the real services, with the test that has it: `file: title`. The
 * first block is what each of the seven clients is put through. A row whose test is gone or renamed fails.
 */

const everyService = {
  "a body that was cut off": "failures: JSON that was cut off",
  "a body shorter than announced, or without its last chunk": "http/transport: shorter than announced",
  "HTML where JSON was due": "failures: an HTML page",
  "HTML that calls itself JSON": "failures: HTML that calls itself JSON",
  "a login page with status 200": "failures: a login page instead of JSON means not signed in",
  "a redirect to a login page": "failures: a redirect to a login page means not signed in",
  "a redirect to what has moved": "failures: means that it has moved: not absent, not forbidden, not signed out",
  "a wrong content type": "artifacts-protocol: another type of content",
  "JSON of another shape": "failures: JSON of another shape",
  "bytes that are not UTF-8": "failures: bytes that are not UTF-8",
  "a part of the content (206)": "failures: a part of the content is incomplete",
  "400, 401, 403, 404, 409, 412, 422, 429, 500, 501, 503": "failures: %i is %s with the service's own words",
  "502 and 504 after a write": "connect: whose answer was lost by %s is not sent again",
  "a slow answer": "failures: an answer that is too slow is asked for again, and then said to be",
  "a slow rest of an answer": "http/transport: waiting for %s ends at the timeout",
  "a reset": "failures: a connection that is reset is opened again, and then said to be",
  "a refused connection": "http/transport: a refused connection sent nothing",
  "a certificate that is not trusted": "connect: a certificate that is not trusted ends the call at once",
  "an answer without an end": "http/transport: an answer above 64 MiB is not read to its end",
  "pages that are ever new": "http/pages: a list whose pages are ever new is given up after 10,000 of them",
  "pages that go round": "artifacts-protocol: a catalog that goes round is not read for ever",
  "pages that come again": "review-pages: whose page comes again and again is not taken for a list",
} as const;

const facts = {
  "across services": {
    "JSON of the review service stands behind a guard line": "review-protocol: JSON without the guard line is refused",
    "its errors are plain text": "facts: a change of access that is refused (%i) says why, and is sent once",
    "analysis: one JSON object a line": "analysis-protocol: %j is a list of its lines",
    "ci: errors are pages": "ci-protocol: %i is %s in the words of its page",
    "artifacts: errors is a list of status and message": "artifacts-protocol: %i is %s with the service's own words",
    "hosting: message and errors": "hosting-protocol: details of a refusal are part of the message",
    "tracker: errorMessages and errors": "tracker-protocol: an error's general words and those of its fields are shown",
    "wiki: statusCode, data and message": "failures: %i is %s with the service's own words",
    "only the wiki has a conditional write": "wiki-protocol: a conflict says what the current version is",
    "what is never retried blindly": "facts: %s: %s is not sent again when its answer was lost",
    "429 is retried on any method": "connect: any write is sent again after 429, and where no connection came up",
    "5xx and transport errors only on reads, never 501": "http/retry: after $name: read again $readAgain",
    "Retry-After in seconds or as a date":
      "failures: %i is waited for as long as Retry-After asks, in seconds or as a date",
    "waits are capped at 30 s": "http/retry: Retry-After %j is a wait of %i ms",
    "jitter, 4 attempts": "http/retry: backoff doubles up to 30 s and is drawn from its whole range",
    "a success may carry Retry-After: 0": "failures: an answer that carries Retry-After: 0 is an answer",
  },
  artifacts: {
    "properties are written below /api, 204": "artifacts-protocol: properties are set at the path of wire: %s",
    "and read at the same path": "facts-artifacts: properties are read and removed at the path where they are written",
    "an item without properties answers 404": "facts-artifacts: an item without properties is not found",
    "separators are escaped in values":
      "artifacts-text: properties are written with a backslash before what would separate",
    "names may not hold some characters": "facts-artifacts: a property's name may not have %s: nothing is sent",
    "recursive is on for folders unless told otherwise":
      "../sandbox/artifacts: are set below a folder too, unless told otherwise",
    "a token is issued with 200": "facts-artifacts: a token is issued with status 200, in the fields of the product",
    "scope and description have a longest length":
      "facts-artifacts: a token's %s of more than %i characters is not sent",
    "listed tokens have token_id for certain":
      "artifacts-protocol: tokens are asked for at the root of the token service",
    "DELETE revokes": "facts-artifacts: a token is revoked at its id",
    "short tokens are never listed": "../sandbox/artifacts: for %i s is listed %i times, and revoking it answers %i",
    "retention answers 204": "facts-artifacts: retention that answers %i is carried out",
    "retention is never repeated": "artifacts-protocol: %s is never sent again when its answer was lost",
    "a query beyond 3 at once: 429": "facts-artifacts: a query beyond the number of those at once is asked again",
    "a query too long (400) or too slow (408)": "facts-artifacts: a query that is refused (%i) is not asked again",
    "a query's notification": "artifacts-protocol: an answer that the service trimmed is incomplete",
    "a query's range": "facts-artifacts: a query of which more is counted than sent is incomplete",
    "searches stop at 1,000": "artifacts-protocol: %s stops at 1,000 results, which are then incomplete",
    "registry paging by n, last and Link": "artifacts-protocol: tags are read to the end",
    "a build without records is 404": "facts-artifacts: a name without builds is not found",
    "an archive's path ends in a slash": "artifacts-streaming: an archive is sent to a path that ends in a slash",
  },
  hosting: {
    "a status has one of four states": "facts: a status has one of four states: another is not sent",
    "statuses are read newest first": "../sandbox/hosting-writes: are added, and read back with the newest first",
    "contexts ignore case, 1,000 each": "../sandbox/hosting-writes: are at most 1,000 a commit and context",
    "PUT of the actions permission: 204": "hosting-protocol: an empty answer to a write is a success",
    "dispatch: 204, or 200 with run details": "facts: a dispatch may answer %i",
    "git/ref instead of git/refs": "hosting-protocol: under wire: %s a branch's reference is read at %s",
    "404 stands for 403": "facts: 404 may stand for a missing right, and says so",
    "limits come as 403 or 429": "hosting-protocol: a limit that ends soon (%i %j) is waited for",
    "limits that end later": "hosting-protocol: a limit that ends later (%i %j) is a problem that says when",
    "secondary limits":
      "hosting-protocol: a secondary limit that does not say when it ends (%i) is left alone for a minute",
    "a second between writes": "facts: a write that follows another too fast waits (%j) and is sent again",
    "per_page is at most 100, follow Link":
      "hosting-lists: lists are asked for in the largest pages and read to the end",
    "a 304 costs no quota":
      "hosting-protocol: what was read is asked for under its tag, and stands where the service says so",
    "a renamed repository is redirected":
      "facts: a repository that was renamed is not absent, and nobody is signed out",
  },
  review: {
    "absent booleans are false; sections without permissions":
      "facts: sections without permissions, and booleans that are left out",
    "without rights to read: unknown, not absent":
      "../reconcilers/review/access-rule: rules that the account may not see are unknown, not absent",
    "removals first, then additions": "../sandbox/review-change: come before additions, so that both together replace",
    "add appends without replacing":
      "../reconcilers/review/access-rule: changes a rule by removing and adding it again, so that it stands once",
    "exclusive is ignored where the permission exists":
      "../reconcilers/review/access-rule: changes `exclusive` by replacing the permission with every rule in it",
    "unknown fields are ignored in silence": "../engine/verify: did not take",
    "an unknown group: 422": "facts: a change of access that is refused (%i) says why, and is sent once",
    "global capabilities only on the root project":
      "../reconcilers/review/access-rule: global capabilities are rules of the root project",
    "409, 412": "facts: a change of access that is refused (%i) says why, and is sent once",
    "503 Lock failure":
      "connect: an unrepeatable write that the server failed at is not sent again, and is no lost answer",
    "_more_changes on the last": "review-on-sandbox: changes are read to the end, each once",
    "the project list's key is the plain name": "review-on-sandbox: projects are read to the end",
  },
  ci: {
    "wrong crumb: 403": "ci-crumb: a crumb that is refused is read once more, with its session, and kept",
    "token authentication needs none": "ci-crumb: without an issuer requests are sent without a crumb",
    "201 with Location": "ci-protocol: that tells no place in the queue is refused",
    "409 when not buildable": "ci-protocol: 409 says what to do about a job that cannot be started",
    "builds has the newest 100": "../sandbox/ci-jobs: of builds has the newest 100, of all builds all",
    "config.xml is replaced and written anew": "../sandbox/ci-jobs: is replaced, and written anew",
    "scriptText answers 200 when the script throws":
      "ci-script: is a problem where it threw, although the status is 200",
    "after a restart: 503 with HTML, sessions gone": "ci-restart: after a restart the sandbox is awaited",
    "X-Jenkins has the version": "ci-protocol: without the version of the server is another server's",
  },
  analysis: {
    "an error is an object with a number as status, on any HTTP status":
      "analysis-protocol: on HTTP %i, an object with status %i is an error",
    "an issue's status is text": "analysis-protocol: a record with a status that is text is no error",
    "an error after records": "facts: an error in the last line says that the list before it is not whole",
    "an empty result is an empty body": "analysis-protocol: %j is a list of its lines",
    "a list that breaks off": "analysis-protocol: a list that breaks off in a line is refused",
    "search is a substring, with a plus exact":
      "../sandbox/analysis: search for %s: a substring, with a plus the whole name",
    "groups need list_users; remove_all clears": "facts: members of groups are asked for, and all members removed",
    "commas are escaped in lists": "analysis-protocol: a list of names is sent as a comma list with its commas escaped",
    "lists end at 1000 without an offset":
      "analysis-on-sandbox: of %s that the service cut at 1000 is not taken for whole",
    "unconfirmed shapes": "facts: records whose shape is unconfirmed are decoded whatever else they hold",
  },
  "tracker and wiki": {
    "the token list is an array or a page": "tokens: a list may be %s",
    "description is read, tokenDescription written": "tokens: only the description of a token is changed",
    "a creation's answer may have no id": "facts: an older token plugin of the %s answers a creation without an id",
    "expiry beyond the maximum: 400 errorMessage": "tokens: the plugin's own words are shown",
    "an unset preference is 404": "tracker-protocol: that are not set are not found",
    "search steps by the answer's own maxResults":
      "tracker-protocol: steps by the page length of the answer, not by the one asked for",
    "a CAPTCHA ends it at once":
      "tracker-protocol: a sign-in that waits for a CAPTCHA ends the call at once, and says what to do: %s",
    "without expand there is no body": "facts: a page is asked for with its body, and one without is no page",
    "409 names the current version": "wiki-protocol: a conflict says what the current version is",
    "a spurious 409: read again":
      "../reconcilers/wiki/wiki-page: a write that finds its own result, one version on, is applied",
    "the version message is cut": "../sandbox/wiki: cuts the version's message",
    "the server rewrites markup":
      "../reconcilers/wiki/wiki-page: rewritten markup is as desired even where nothing says that we wrote it",
    "a cookie jar": "wiki-protocol: cookies are sent back until they expire",
  },
} as const;

describe.each(Object.entries({ "every service": everyService, ...facts }))("%s", (_section, rows) => {
  test.each(Object.entries(rows))("%s", (_fact, where) => {
    const [file = "", ...title] = where.split(": ");
    const source = readFileSync(join(import.meta.dirname, `${file}.test.ts`), "utf8");
    expect(source).toContain(title.join(": "));
  });
});
