import type { Asked } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { countIn } from "../request.ts";
import type { AccessToken } from "./state.ts";

/** Returns a test of whether a token matches all filters of a query except the user filter. Ranges include their bounds. */
export function fitting(asked: Asked): (token: AccessToken) => boolean {
  const text = asked.query.get("descriptionFilter")?.toLowerCase() ?? "";
  const scope = numberIn(asked, "tokenScope", Number.NaN);
  const within = (from: string, until: string) => {
    const [first, last] = [
      numberIn(asked, from, Number.NEGATIVE_INFINITY),
      numberIn(asked, until, Number.POSITIVE_INFINITY),
    ];
    return (time: number) => time >= first && time <= last;
  };
  const isCreated = within("fromCreated", "untilCreated");
  const isUsed = within("fromLastUsed", "untilLastUsed");
  const expires = within("fromExpiresDuring", "untilExpiresDuring");
  const latest = numberIn(asked, "notValidAfter", Number.POSITIVE_INFINITY);
  return (token) => {
    const validUntil = token.validUntil ?? Number.POSITIVE_INFINITY;
    return (
      token.description.toLowerCase().includes(text) &&
      (Number.isNaN(scope) || token.scope === scope) &&
      validUntil <= latest &&
      isCreated(token.created) &&
      isUsed(token.lastAccessed) &&
      expires(validUntil)
    );
  };
}

/** Reads a number from the query of a request to the plugin. */
export function numberIn(asked: Asked, name: string, unless: number): number {
  return countIn(asked, name, unless, (text) => wrong(`${name} is not a number: ${text}`));
}

/** Returns a refusal in the plugin's own words, which differ from those of its service. */
export function wrong(errorMessage: string, status = 400): Refusal {
  return new Refusal(status, errorMessage, {}, { errorMessage });
}
