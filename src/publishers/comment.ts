import { hostingOperations } from "../clients/hosting/operations.ts";
import { ProblemError } from "../core/problem.ts";
import { grouped } from "../core/words.ts";
import { renderMarkdown } from "../reports/markdown.ts";
import { neutralMarkdown } from "../reports/neutral.ts";
import { separation } from "./counts.ts";
import { atMoment, clientOf, type Edition, type News, type Publisher } from "./publisher.ts";
import { missing, repositoryOf } from "./run-facts.ts";

/** The most characters of a comment. @see docs/facts.md, hosting */
const longest = 65_536;
/** Problems that are listed; more are counted. */
const mostProblems = 50;

/** The account whose token a workflow's run has, which may not ask who it is. @see docs/facts.md, hosting */
const workflowLogin = "github-actions[bot]";

/** One comment on the pull request, which is updated. @see docs/decisions/publishing.md */
export function commentPublisher(edition: Edition, service: string | undefined): Publisher {
  const { facts } = edition;
  const repository = repositoryOf(facts);
  const { pullRequest, author } = facts;
  if (pullRequest === undefined)
    throw missing(
      "which pull request",
      "Pass --about pull-request=<number>; a workflow's run on a pull request knows it by itself.",
    );
  const writes = [
    { operation: "createIssueComment", args: { ...repository, issueNumber: pullRequest } },
    { operation: "updateIssueComment", args: repository },
  ];
  return {
    as: "comment",
    to: { role: "hosting", service, writes },
    needs: "write access to pull requests (pull-requests: write)",
    async publish(door, news) {
      if (news.is === "started") return;
      const client = clientOf(door, hostingOperations, [
        "getUser",
        "listIssueComments",
        "createIssueComment",
        "updateIssueComment",
      ]);
      const self = author ?? (await loginOf(() => client.getUser({})));
      const comments = await client.listIssueComments({ ...repository, issueNumber: pullRequest });
      const isOurs = markerOf(edition);
      const before = comments.find(({ body = "", user }) => isSame(user?.login, self) && isOurs.test(body));
      const said = (before?.body ?? "").replaceAll("\r\n", "\n").trim();
      // A moment alone makes no difference: the last comment's is put in the place of this run's.
      const moment = isOurs.exec(said)?.[1];
      if (moment !== undefined && commentText(edition, news, moment) === said) return;
      const body = commentText(edition, news, edition.at);
      if (before === undefined) await client.createIssueComment({ ...repository, issueNumber: pullRequest, body });
      else await client.updateIssueComment({ ...repository, commentId: before.id, body });
    },
  };
}

async function loginOf(ask: () => Promise<{ readonly login: string }>): Promise<string> {
  try {
    return (await ask()).login;
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problems.some(({ code }) => code !== "SP3004")) throw error;
    return workflowLogin;
  }
}

function isSame(login: string | undefined, self: string): boolean {
  return login?.toLowerCase() === self.toLowerCase();
}

/** What no text of a manifest can end: a name without markup. */
function keyOf({ command, name }: Edition): string {
  return name === "" ? command : `${command} ${encodeURIComponent(name)}`;
}

/** The first line of a comment of this edition; its group is the moment. */
function markerOf(edition: Edition): RegExp {
  const key = keyOf(edition).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^<!-- setpoint: ${key} (\\S{1,40}) -->\\s`);
}

/** The comment, as of a moment. */
function commentText(edition: Edition, news: News, moment: string): string {
  const { command } = edition;
  const marker = `<!-- setpoint: ${keyOf(edition)} ${moment} -->\n`;
  const lead = news.is === "made" ? separation(news.subject.plan, command) : undefined;
  const where = edition.name === "" ? "" : `Workspace ${neutralMarkdown(edition.name)}. `;
  const head = `${marker}${where}${lead ?? ""}\n\n`;
  return `${head}${fitted(bodyOf(atMoment(news, moment), command), longest - head.length)}`.trim();
}

function bodyOf(news: News, command: Edition["command"]): string {
  if (news.is === "made") return renderMarkdown(news.subject);
  const problems = news.is === "wrong" ? news.problems : [];
  const lines = problems.slice(0, mostProblems).map(({ code, message, place, service }) => {
    const where = place === undefined ? service : `${place.file}:${place.line}`;
    return `- ${code}: ${where === undefined ? "" : `${neutralMarkdown(where)} `}${neutralMarkdown(message)}`;
  });
  const more = problems.length - lines.length;
  return [
    `### setpoint ${command}: ended early.`,
    lines.join("\n"),
    ...(more > 0 ? [`… and ${grouped(more)} more.`] : []),
  ].join("\n\n");
}

/** A text that is too long is cut before a block, and with all that was folded. */
function fitted(text: string, room: number): string {
  if (text.length <= room) return text;
  const note = "The rest does not fit into a comment.";
  const kept = text.slice(0, room - note.length - 2).split("\n\n");
  const folded = kept.findIndex((block) => block.startsWith("<details"));
  return [...kept.slice(0, folded === -1 ? -1 : folded), note].join("\n\n");
}
