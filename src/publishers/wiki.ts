import { hash } from "node:crypto";
import { type WikiOperations, wikiOperations } from "../clients/wiki/operations.ts";
import { type Problem, ProblemError } from "../core/problem.ts";
import { formatAddress } from "../core/resource.ts";
import { quote, shortened } from "../core/text/words.ts";
import { clientOf, type Edition, type News, type PermitOf, type Publisher, runTitle } from "./publisher.ts";
import { wikiMarkup } from "./wiki-markup.ts";

/** The version message of a report: a digest of its content, and the title of its edition. */
const mark = /^setpoint-report:([0-9a-f]{12}) (.*)$/;

/** Publishes the report as a page of the wiki. @see docs/decisions/publishing.md */
export function wikiPublisher(edition: Edition, pageId: string): Publisher {
  return {
    to: {
      role: "wiki",
      writes: [{ operation: "updatePage", args: { pageId, id: pageId } }] satisfies PermitOf<WikiOperations>[],
    },
    where: `wiki page ${pageId}`,
    needs: "permission to edit the page",
    async publish(door, news) {
      for (const name of door.services) {
        const address = formatAddress(name, "WikiPage", pageId);
        if ((await door.isDeclared(address)) || isPlanned(news, address))
          throw taken({
            address,
            message: `${address} is declared by a manifest, so no report is written over it.`,
            hint: "Name another page: a report replaces the whole page.",
          });
      }
      const client = clientOf(door, wikiOperations);
      const { type, title, space, version, ancestors = [] } = await client.getPage({ pageId });
      if (type !== "page") throw taken({ message: `${pageId} is a ${type}, not a page.` });
      const [, digest, owner] = mark.exec(version.message ?? "") ?? [];
      // The service cuts the message of a version. @see docs/facts.md, Wiki: the version message is cut
      const name = shortened(runTitle(edition), 226, "");
      if (owner !== undefined && owner !== name)
        throw taken({
          message: `Page ${pageId} has the report of another run: ${quote(owner)}, and this is ${quote(name)}.`,
          hint: "Name another page: each run would replace the other's report.",
        });
      // The server rewrites markup, so digests are compared. Any edit since has made a version with another message.
      const markup = wikiMarkup({ ...edition, at: "" }, news);
      const says = hash("sha256", markup).slice(0, 12);
      if (digest === says) return;
      const parent = ancestors.at(-1)?.id;
      await client.updatePage({
        pageId,
        id: pageId,
        type: "page",
        title,
        space: { key: space.key },
        version: { number: version.number + 1, message: `setpoint-report:${says} ${name}`, minorEdit: true },
        body: { storage: { value: wikiMarkup(edition, news), representation: "storage" } },
        ...(parent === undefined ? {} : { ancestors: [{ id: parent }] }),
      });
    },
  };
}

/** Whether the plan has the address: only the plan knows what a document that is repeated over a live list declares. */
function isPlanned(news: News, address: string): boolean {
  if (news.is !== "made") return false;
  const { changes, inSync, unknown } = news.subject.plan;
  return inSync.includes(address) || [...changes, ...unknown].some((one) => one.address === address);
}

function taken(problem: Omit<Problem, "code">): ProblemError {
  return new ProblemError({ code: "SP1016", ...problem });
}
