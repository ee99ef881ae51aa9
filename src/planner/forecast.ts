import type { PlannedCall } from "../core/call.ts";
import type { Address } from "../core/resource.ts";
import type { Plan, ServiceForecast } from "../core/run/plan.ts";
import { type Measured, type Quota, quotaAfter } from "../core/run/quota.ts";
import { defined } from "../core/text/json.ts";
import type { Decided } from "./subjects.ts";

/** The fewest requests and milliseconds from which the pace of a service is meaningful. */
const fewest = { requests: 100, milliseconds: 1000 };

interface Applying {
  /** Calls that are not sent, by id. */
  readonly withheld?: ReadonlyMap<number, unknown>;
  /** Whether it first reads again what the plan changes, as an apply of a saved plan does. */
  readonly readsAgain?: boolean;
}

/**
 * Returns the plan with a forecast of the requests that an apply makes to each service: its calls, and the reads that verify
 * them. The number of reads for each remote object is the average of this plan's own. A `drift` report is not applied, so
 * it has no such forecast.
 */
export function withForecast(
  plan: Plan,
  decided: readonly Decided[],
  measured: ReadonlyMap<string, Measured>,
  { withheld = new Map(), readsAgain = false }: Applying = {},
): Plan {
  const { services: _old, ...known } = plan.forecast;
  const isSent = ({ id }: PlannedCall) => !withheld.has(id);
  const sent = plan.about.command === "plan" ? [...plan.calls, ...(plan.triggers ?? [])].filter(isSent) : [];
  if (sent.length === 0 || plan.refusals.length > 0) return { ...plan, forecast: known };
  const changed = new Set(sent.flatMap(({ carries }) => carries));
  const again = plan.changes.filter(({ action }) => readsAgain && action !== "check");
  const lookedAt = new Set(again.flatMap(({ address, dependsOn }) => [address, ...dependsOn]));
  const subjects = Map.groupBy(decided, ({ service }) => service);
  const services = [...Map.groupBy(sent, ({ service }) => service)].map(([service, calls]) => {
    const own = subjects.get(service) ?? [];
    const seen = measured.get(service) ?? { requests: 0, milliseconds: 0 };
    const all = new Set(own.map(({ lane }) => lane)).size;
    const readsOf = (addresses: ReadonlySet<Address>) => {
      const lanes = new Set(own.filter(({ address }) => addresses.has(address)).map(({ lane }) => lane)).size;
      return lanes === 0 ? 0 : Math.max(1, Math.round((seen.requests / all) * lanes));
    };
    const isPaced = seen.requests >= fewest.requests && seen.milliseconds >= fewest.milliseconds;
    const requests = calls.length + readsOf(changed) + readsOf(lookedAt);
    const seconds = isPaced ? Math.ceil((requests * seen.milliseconds) / seen.requests / 1000) : undefined;
    return [service, serviceForecast(requests, seconds, seen.quota, plan.about.at)] as const;
  });
  return { ...plan, forecast: { ...known, services: Object.fromEntries(services) } };
}

/**
 * Returns what one apply of all shards asks of each service: the requests that they forecast together, at the pace of those
 * that tell it, and what is left of the quota, as the last shard saw it.
 */
export function forecastOf(shards: readonly Plan[], at: string): Readonly<Record<string, ServiceForecast>> {
  const all = shards.flatMap(({ forecast: { services = {} } }) => Object.entries(services));
  const services = [...Map.groupBy(all, ([service]) => service)].map(([service, entries]) => {
    const own = entries.map(([, forecast]) => forecast);
    const requests = own.reduce((sum, one) => sum + one.requests, 0);
    const paced = own.filter(({ seconds }) => seconds !== undefined);
    const pace =
      paced.reduce((sum, { seconds = 0 }) => sum + seconds, 0) / paced.reduce((sum, one) => sum + one.requests, 0);
    const seconds = paced.length === 0 ? undefined : Math.ceil(requests * pace);
    const quota = own.reduce<Quota | undefined>(
      (known, one) => (one.quota ? quotaAfter(known, one.quota) : known),
      undefined,
    );
    return [service, serviceForecast(requests, seconds, quota, at)] as const;
  });
  return Object.fromEntries(services);
}

function serviceForecast(
  requests: number,
  seconds: number | undefined,
  quota: Quota | undefined,
  at: string,
): ServiceForecast {
  // The quota of a period that has ended says nothing about the next one.
  const left = quota && quota.resets > at ? { ...quota, after: quota.remaining - requests } : undefined;
  return defined({ requests, seconds, quota: left });
}
