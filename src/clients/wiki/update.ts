import { hasOnly } from "../../core/problem.ts";
import type { AwaitedCall } from "../service.ts";
import { WikiPageRecord, wikiOperations } from "./operations.ts";

/**
 * Updates a page, and repeats the update after a conflict without another writer: just after another write, the server
 * can refuse the next version of a page that has not changed.
 * @see docs/facts.md, wiki
 *
 * Throws `ProblemError`: what the calls throw, SP3006 if the page has another version.
 */
export const updateOfPage: AwaitedCall = async (send, { operation, args }) => {
  try {
    return await send(operation, args);
  } catch (error) {
    if (!hasOnly(error, "SP3006")) throw error;
    const { pageId, version } = wikiOperations.updatePage.args.parse(args);
    const live = WikiPageRecord.parse(await send("getPage", { pageId }));
    if (live.version.number + 1 !== version.number) throw error;
    return send(operation, args);
  }
};
