import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * Looks up a name once for all callers that ask for it meanwhile. A lookup cannot be cancelled, and Node runs two
 * concurrently. Without sharing, each connection to a name whose server is silent would delay the lookups for other
 * services, and the end of the process.
 */
export function sharedLookup(lookup: LookupFunction): LookupFunction {
  const underWay = new Map<string, Parameters<LookupFunction>[2][]>();
  return (name, options, done) => {
    const key = JSON.stringify([name, options]);
    const others = underWay.get(key);
    if (others !== undefined) return void others.push(done);
    const asking = [done];
    underWay.set(key, asking);
    lookup(name, options, (...found) => {
      underWay.delete(key);
      for (const tell of asking) tell(...found);
    });
  };
}

/** The lookups of all connections of the process. */
export const lookupOnce = sharedLookup(systemLookup);
