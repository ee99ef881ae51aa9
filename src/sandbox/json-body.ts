import type { ServiceRequest } from "./exchange.ts";

/** The media type of a request's body in lower case, without parameters; empty where none is given. */
export function mediaType(request: ServiceRequest): string {
  return (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** A request's body as JSON; undefined where it is none. */
export function jsonBody(request: ServiceRequest): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(request.body) };
  } catch {
    return undefined;
  }
}
