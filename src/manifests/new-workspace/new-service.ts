import type { ServiceType } from "../../core/service.ts";
import { alternatives, didYouMean, quote } from "../../core/words.ts";
import { ServiceName, workspaceSchemas } from "../workspace/workspace-schema.ts";

/** A service of a workspace that is not written yet. */
export interface NewService {
  readonly name: string;
  /** The product. */
  readonly type: string;
  readonly url: string;
}

/** A service in words: what it is made of, or what is wrong with it. */
export type ReadService =
  | { readonly is: "service"; readonly service: NewService }
  | { readonly is: "wrong"; readonly mistakes: readonly string[] };

/** How `readService` expects a service. */
export const serviceForm = "name=product:address, such as review=gerrit:https://review.example.com";

/**
 * Reads `name=product:address`. A mistake completes the name of the option. `taken` are the names of other services. No mistake repeats the address: it could hold a
 * password.
 */
export function readService(text: string, types: readonly ServiceType[], taken: Iterable<string>): ReadService {
  const [, name, type, url] = /^([^=:]*)=([^:]*):(.*)$/s.exec(text) ?? [];
  if (name === undefined || type === undefined || url === undefined)
    return { is: "wrong", mistakes: [`expects ${serviceForm}.`] };
  const mistakes = [nameMistake(name, taken), typeMistake(type, types), addressMistake(url, types)];
  const found = mistakes.filter((mistake) => mistake !== undefined);
  if (found.length > 0) return { is: "wrong", mistakes: found.map((mistake) => `${quote(name)}: ${mistake}`) };
  return { is: "service", service: { name, type, url: addressOf(url, types) } };
}

/** What is wrong with the name of a service. */
export function nameMistake(name: string, taken: Iterable<string>): string | undefined {
  const parsed = ServiceName.safeParse(name);
  if (!parsed.success) return sentence(parsed.error.issues[0]?.message);
  return [...taken].includes(name) ? `Another service has the name ${quote(name)}.` : undefined;
}

/** What is wrong with the address of a service. */
export function addressMistake(url: string, types: readonly ServiceType[]): string | undefined {
  // In the file it would be the place of a variable.
  if (url.includes("${")) return "Expected an address without a placeholder.";
  const parsed = workspaceSchemas(types).service.shape.url.safeParse(url);
  if (parsed.success) return undefined;
  const meant = /^[a-z0-9][\w.-]*\.[a-z]{2,}(?:[:/]\S*)?$/i.test(url) ? " It begins with https://." : "";
  return `${sentence(parsed.error.issues[0]?.message)}${meant}`;
}

/** An address as the workspace has it: without a slash at its end. */
export function addressOf(url: string, types: readonly ServiceType[]): string {
  return workspaceSchemas(types).service.shape.url.parse(url);
}

function typeMistake(type: string, types: readonly ServiceType[]): string | undefined {
  const known = types.flatMap((one) => one.types);
  if (known.includes(type)) return undefined;
  const meant = didYouMean(type, known) || ` Expected ${alternatives(known)}.`;
  return `There is no product ${quote(type)}.${meant}`;
}

function sentence(words = "expected something else"): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
