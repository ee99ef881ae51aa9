import type { Plan, PlannedChange } from "../../src/core/run/plan.ts";

const services = ["analysis", "artifacts", "ci", "hosting", "review", "tracker", "wiki"];
const kinds = ["Alpha", "Beta", "Gamma", "Delta"];

/** Returns a plan of many resources with labels and owners, in which one of `every` resources has a change. */
export function largePlan(count: number, every = 50, command: "plan" | "drift" = "drift"): Plan {
  const addresses = Array.from({ length: count }, (_none, index) => {
    const service = services[index % services.length] ?? "";
    const kind = kinds[Math.floor(index / services.length) % kinds.length] ?? "";
    return `${service}/${kind}/platform/component-${index}:release-2.4`;
  });
  const isChanged = (index: number) => index % every === 0;
  const changes = addresses.flatMap((address, index) => (isChanged(index) ? [changeOf(address, index)] : []));
  return {
    version: 1,
    about: { command, at: "2027-01-14T02:00:00.000Z", workspace: "platform" },
    services: services.map((name) => ({ name, role: name, url: `https://${name}.example`, reads: 12 })),
    changes,
    inSync: addresses.filter((_address, index) => !isChanged(index)),
    unknown: [],
    ignored: [],
    refusals: [],
    labels: Object.fromEntries(
      addresses.map((address, index) => [address, { owner: `team-${index % 12}`, train: `2.${index % 3}` }]),
    ),
    calls: changes.map(({ address, service }, id) => ({
      id,
      service,
      operation: "update",
      args: {},
      carries: [address],
      phase: 0,
      lane: `${service} ${id}`,
    })),
    forecast: { writes: { "review.update": changes.length }, verifyScopes: changes.length },
    fingerprints: {},
  };
}

function changeOf(address: string, index: number): PlannedChange {
  const [service = "", kind = "", ...key] = address.split("/");
  const isDrift = index % 3 !== 0;
  return {
    address,
    service,
    kind,
    key: key.join("/"),
    place: { file: "manifests/all.yaml", line: index + 1, column: 1 },
    action: index % 60 === 0 ? "delete" : "update",
    verdict: isDrift ? "drift" : "pending",
    ...(isDrift ? { happened: { action: "update", risks: index % 4 === 0 ? ["widens-access"] : [] } } : {}),
    fields: [
      { path: ["permissions"], live: ["push"], desired: ["push", "submit"], verdict: isDrift ? "drift" : "pending" },
    ],
    risks: index % 4 === 0 ? ["narrows-access"] : [],
    events: [{ what: "edited", by: `person-${index % 40}`, at: "2027-01-13T18:04:00.000Z", message: "Just this once" }],
    dependsOn: [],
    phase: 0,
  };
}
