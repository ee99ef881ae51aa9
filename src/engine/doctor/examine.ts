import { type CheckResult, type Circumstances, problemFinding, runCheck } from "../../clients/check.ts";
import type { Environment } from "../../clients/credentials/credentials.ts";
import { credentialOrigin, usernameOf } from "../../clients/credentials/credentials-for.ts";
import { rootProblems } from "../../clients/credentials/roots.ts";
import { serviceOfRole } from "../../clients/find-service.ts";
import type { Kind } from "../../core/kind.ts";
import type { ProblemCode } from "../../core/problem.ts";
import type { Resource } from "../../core/resource.ts";
import type { Service } from "../../core/service.ts";
import { observe, scopeReader } from "../observe/observe.ts";
import { openReaders, type Readers, type Sessions } from "../sessions.ts";
import { certificateFindings } from "./certificate.ts";

/** A service with the findings about it. */
export interface Examined extends Pick<Service, "name" | "role" | "url"> {
  readonly findings: readonly CheckResult[];
}

export interface ExamineInput {
  readonly kinds: ReadonlyMap<string, Kind>;
  /** The declared resources of all services. */
  readonly declared: readonly Resource[];
  /** Sessions that need not be able to write. */
  readonly sessions: Sessions;
  /** The variables that the credentials come from. */
  readonly env: Environment;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Examines services in parallel, with reads only. Problems are in the result and are not thrown. */
export async function examine(
  services: readonly Service[],
  { kinds, declared, sessions, env, now }: ExamineInput,
): Promise<readonly Examined[]> {
  const readers = openReaders(sessions);
  return Promise.all(
    services.map(async (service) => {
      const { name, role, url, wire, limits } = service;
      const circumstances = {
        username: usernameOf(service, env),
        origin: credentialOrigin(service, env),
        wire,
        declared: declared.filter((resource) => resource.service === name),
        now,
      };
      const [validity, answers] = await Promise.all([
        certificateFindings(url, now, limits.timeout),
        ask(service, readers, circumstances, kinds),
      ]);
      const [reachable, ...others] = answers;
      // Below a service that is not reached, only what may be the reason helps.
      const isReached = reachable?.code === undefined || !unreached.has(reachable.code);
      const certificate = isReached ? validity : validity.filter(({ result }) => result === "wrong");
      const elsewhere = rootProblems(service, env).map(({ root, problem }) => problemFinding(root, problem));
      return {
        name,
        role,
        url,
        findings: [...(reachable === undefined ? certificate : [reachable, ...certificate, ...others]), ...elsewhere],
      };
    }),
  );
}

/** Checks reachability first, then the identity, and everything else only if the identity is known. */
async function ask(
  { name, role }: Service,
  readers: Readers,
  circumstances: Circumstances,
  kinds: ReadonlyMap<string, Kind>,
): Promise<readonly CheckResult[]> {
  const { account, optional, required = {} } = serviceOfRole(role).checks;
  // Without credentials there is no reader; that is a finding too.
  const identified = await runCheck("account", () => account(readers(name), circumstances));
  const refusal = identified.find(({ result }) => result === "wrong");
  if (refusal?.code !== undefined && unsent.has(refusal.code)) return [refusal];
  if (refusal?.code !== undefined && unreached.has(refusal.code)) return [{ ...refusal, check: "reachable" }];
  const reachable: CheckResult = { check: "reachable", result: "ok", says: "answers" };
  if (refusal !== undefined) return [reachable, refusal];
  const run = (checks: typeof optional, refused: CheckResult["result"]) =>
    Object.entries(checks).map(([check, find]) => runCheck(check, () => find(readers(name), circumstances), refused));
  const found = await Promise.all([
    ...run(optional, "unknown"),
    ...run(required, "wrong"),
    readability(circumstances, kinds, readers),
  ]);
  return [reachable, ...identified, ...found.flat()];
}

/** Problems with the credentials, found before anything is sent. */
const unsent: ReadonlySet<ProblemCode> = new Set(["SP3001", "SP3002"]);

/** Problems that mean that the service cannot be reached, or that something else answers in its place. */
const unreached: ReadonlySet<ProblemCode> = new Set(["SP3009", "SP3101", "SP3102", "SP3103", "SP3104", "SP3106"]);

/** Returns a finding on whether all declared resources can be read, in the way that a plan reads them. */
async function readability(
  { declared, now }: Circumstances,
  kinds: ReadonlyMap<string, Kind>,
  readers: Readers,
): Promise<readonly CheckResult[]> {
  if (declared.length === 0) return [];
  const check = "resources";
  const { decided } = await observe(
    { kinds, desired: declared, base: undefined, selected: () => true, now: new Date(now) },
    scopeReader(readers),
  );
  const unknown = decided.flatMap(({ decision, address }) =>
    decision.is === "unknown" ? [{ ...decision.problem, address }] : [],
  );
  const readable = `${declared.length - unknown.length} of ${declared.length} declared can be read`;
  const [first] = unknown;
  if (first === undefined) return [{ check, result: "ok", says: readable }];
  const finding = problemFinding(check, first);
  return [
    { ...finding, says: `${readable}; ${unknown.length === 1 ? "" : "for example "}${first.address}: ${finding.says}` },
  ];
}
