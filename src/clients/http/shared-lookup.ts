import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * Looks up a name once for all who ask for it meanwhile. A lookup cannot be ended, and Node makes two at once: those of each
 * connection to a name whose server is silent would hold up the names of other services, and the end of the process.
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
