import type { ServiceType } from "../../core/service.ts";
import { refusalOf } from "../../core/text/issues.ts";
import { alternatives, didYouMean, quote } from "../../core/text/words.ts";
import { ServiceName, ServiceUrl } from "../workspace/workspace-schema.ts";

/** A service of a workspace that is yet to be written. */
export interface NewService {
  readonly name: string;
  /** The product. */
  readonly type: string;
  readonly url: string;
}

/** The result of `readService`: the service, or what is wrong with the text. */
export type ReadService =
  | { readonly is: "service"; readonly service: NewService }
  | { readonly is: "wrong"; readonly mistakes: readonly string[] };

/** The form that `readService` expects. */
export const serviceForm = "name=product:address, such as review=gerrit:https://review.example.com";

/**
 * Parses `name=product:address`. Each error message completes a sentence that begins with the option's name. `taken` are
 * the names of other services. No message repeats the address, because it could contain a password.
 */
export function readService(text: string, types: readonly ServiceType[], taken: Iterable<string>): ReadService {
  const [, name, type, url] = /^([^=:]*)=(?!https?:)([^:]*):(.*)$/s.exec(text) ?? [];
  if (name === undefined || type === undefined || url === undefined)
    return { is: "wrong", mistakes: [`expects ${serviceForm}.`] };
  const mistakes = [nameMistake(name, taken), typeMistake(type, types), addressMistake(url)];
  const found = mistakes.filter((mistake) => mistake !== undefined);
  if (found.length > 0) return { is: "wrong", mistakes: found.map((mistake) => `${quote(name)}: ${mistake}`) };
  return { is: "service", service: { name, type, url: addressOf(url) } };
}

export function nameMistake(name: string, taken: Iterable<string>): string | undefined {
  return (
    refusalOf(ServiceName, name) ??
    ([...taken].includes(name) ? `Another service has the name ${quote(name)}.` : undefined)
  );
}

export function addressMistake(url: string): string | undefined {
  // In the file it would be read as a variable.
  if (url.includes("${")) return "Expected an address without a placeholder.";
  const refusal = refusalOf(ServiceUrl, url);
  if (refusal === undefined) return undefined;
  const meant = /^[a-z0-9][\w.-]*\.[a-z]{2,}(?:[:/]\S*)?$/i.test(url) ? " It begins with https://." : "";
  return `${refusal}${meant}`;
}

/** Returns an address in the form of the workspace file: without a trailing slash. */
export function addressOf(url: string): string {
  return ServiceUrl.parse(url);
}

function typeMistake(type: string, types: readonly ServiceType[]): string | undefined {
  const known = types.flatMap((one) => one.types);
  if (known.includes(type)) return undefined;
  const meant = didYouMean(type, known) || ` Expected ${alternatives(known)}.`;
  return `There is no product ${quote(type)}.${meant}`;
}
