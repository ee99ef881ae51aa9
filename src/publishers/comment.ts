import { type HostingOperations, hostingOperations } from "../clients/hosting/operations.ts";
import { hasOnly, ProblemError } from "../core/problem.ts";
import { literalPattern } from "../core/text/words.ts";
import { renderMarkdown } from "../reports/formats/markdown.ts";
import { longest } from "../reports/formats/markdown-page.ts";
import { neutralMarkdown } from "../reports/neutral.ts";
import { separation } from "./counts.ts";
import { atMoment, clientOf, type Edition, type News, type PermitOf, type Publisher } from "./publisher.ts";
import { missing, repositoryOf } from "./run-facts.ts";

/** The account of a workflow run's token, which may not ask who it is. @see docs/facts.md, hosting */
const workflowLogin = "github-actions[bot]";

/** What a second comment says from then on: comments later in the list count as newer, and this one is no longer updated. */
const elsewhere = "This report of setpoint is kept up to date in an earlier comment.";

/** Publishes one comment on the pull request, and updates it. @see docs/decisions/publishing.md */
export function commentPublisher(edition: Edition): Publisher {
  const { facts } = edition;
  const repository = repositoryOf(facts);
  const { pullRequest, author } = facts;
  if (pullRequest === undefined)
    throw missing(
      "which pull request",
      "Pass --about pull-request=<number>; a workflow run for a pull request knows it.",
    );
  const writes = [
    { operation: "createIssueComment", args: { ...repository, issueNumber: pullRequest } },
    { operation: "updateIssueComment", args: repository },
  ] satisfies PermitOf<HostingOperations>[];
  return {
    to: { role: "hosting", writes },
    where: `comment on pull request ${pullRequest} of ${facts.repository}`,
    needs: "write access to pull requests (pull-requests: write)",
    async publish(door, news) {
      const client = clientOf(door, hostingOperations);
      const self = (author ?? (await loginOf(() => client.getUser({})))).toLowerCase();
      const comments = await client.listIssueComments({ ...repository, issueNumber: pullRequest });
      const isOurs = markerOf(edition);
      const [before, ...copies] = comments.filter(
        ({ body = "", user }) => user?.login.toLowerCase() === self && isOurs.test(body),
      );
      const isAssumed = author === undefined && self === workflowLogin;
      const other = comments.find(({ body = "", user }) => user?.type === "Bot" && isOurs.test(body))?.user?.login;
      if (before === undefined && isAssumed && other !== undefined) throw anotherBot(other, self);
      // Two runs at the same moment both find no comment.
      for (const { id } of copies) await client.updateIssueComment({ ...repository, commentId: id, body: elsewhere });
      const said = (before?.body ?? "").replaceAll("\r\n", "\n").trim();
      // A different moment alone is no news, so both are compared as of the last comment's moment.
      const moment = isOurs.exec(said)?.[1];
      if (moment !== undefined && commentText(edition, news, moment) === said) return;
      const body = commentText(edition, news, edition.at);
      if (before === undefined) await client.createIssueComment({ ...repository, issueNumber: pullRequest, body });
      else await client.updateIssueComment({ ...repository, commentId: before.id, body });
    },
  };
}

/** An app's token may not ask who it is either, and would add a comment with every run. */
function anotherBot(other: string, self: string): ProblemError {
  const message = `${other} has commented this report already, and nothing says whether this run's account is ${other} or ${self}.`;
  const hint = `If it is, pass --about author=${other}. If not, pass author=${self}.`;
  return new ProblemError({ code: "SP5001", message, hint });
}

async function loginOf(ask: () => Promise<{ readonly login: string }>): Promise<string> {
  try {
    return (await ask()).login;
  } catch (error) {
    if (!hasOnly(error, "SP3004")) throw error;
    return workflowLogin;
  }
}

/** The edition's name without markup, so that nothing in it can end the marker. */
function keyOf({ command, name }: Edition): string {
  return name === "" ? command : `${command} ${encodeURIComponent(name)}`;
}

/** Matches the first line of a comment of this edition; its group is the moment. */
function markerOf(edition: Edition): RegExp {
  const key = literalPattern(keyOf(edition));
  return new RegExp(`^<!-- setpoint: ${key} (\\S{1,40}) -->\\s`);
}

function commentText(edition: Edition, news: News, moment: string): string {
  const { command } = edition;
  const marker = `<!-- setpoint: ${keyOf(edition)} ${moment} -->\n`;
  const where = edition.name === "" ? "" : `Workspace ${neutralMarkdown(edition.name)}. `;
  const head = `${marker}${where}${separation(news, command)}\n\n`;
  return `${head}${bodyOf(atMoment(news, moment), command, longest - head.length)}`.trim();
}

function bodyOf(news: News, command: Edition["command"], room: number): string {
  if (news.is === "made") return renderMarkdown(news.subject, room);
  const problems = news.is === "wrong" ? news.problems : [];
  return problems.length === 0 ? `### setpoint ${command}: ended early.` : renderMarkdown({ command, problems }, room);
}
